package io.jenkins.plugins.compressionaware.metrics;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.report.Bottleneck;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** Defines the names and values that metrics and spans use to classify transfers. */
final class MetricNames {
    static final String PREFIX = "jenkins.artifact_transfer.";
    static final String SHARED = PREFIX + "deduplicated_bytes";
    static final String RESUMED = PREFIX + "resumed";

    private MetricNames() {}

    /** Returns the codec with the most raw bytes in a completed transfer, over all levels. */
    static String codec(TransferResult result) {
        Map<String, Long> bytes = new HashMap<>();
        result.codecs.forEach(share -> bytes.merge(share.codec, share.rawBytes, Long::sum));
        return bytes.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey)
                .orElse(Codec.NONE.symbol());
    }

    /** Returns {@code store}, or the path with more bytes: {@code direct} or {@code channel}. */
    static String path(TransferResult result) {
        if (result.store != null) {
            return "store";
        }
        return result.directBytes > result.channelBytes ? "direct" : "channel";
    }

    static String bottleneck(Bottleneck bottleneck) {
        return bottleneck.name().toLowerCase(Locale.ROOT);
    }

    static String cause(TransferResult.Outcome outcome) {
        return outcome == TransferResult.Outcome.FAILED
                ? "other"
                : outcome.name().toLowerCase(Locale.ROOT);
    }
}
