package io.jenkins.plugins.compressionaware.metrics;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.report.Bottleneck;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** The few words by which metrics and spans tell transfers apart. */
final class MetricNames {
    static final String PREFIX = "jenkins.artifact_transfer.";
    static final String SHARED = PREFIX + "deduplicated_bytes";

    private MetricNames() {}

    /** The codec of most raw bytes, all its levels together, in a completed transfer. */
    static String codec(TransferResult result) {
        Map<String, Long> bytes = new HashMap<>();
        result.codecs.forEach(share -> bytes.merge(share.codec, share.rawBytes, Long::sum));
        return bytes.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey)
                .orElse(Codec.NONE.symbol());
    }

    /** The way that carried more bytes. */
    static String way(TransferResult result) {
        return result.directBytes > result.channelBytes ? "direct" : "channel";
    }

    static String limit(Bottleneck limit) {
        return limit.name().toLowerCase(Locale.ROOT);
    }

    /** The cause if a transfer was not completed. */
    static String cause(TransferResult.Outcome outcome) {
        return outcome == TransferResult.Outcome.FAILED
                ? "other"
                : outcome.name().toLowerCase(Locale.ROOT);
    }
}
