package io.jenkins.plugins.compressionaware.metrics;

import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import java.util.Locale;

/** The few words by which metrics and spans tell transfers apart. */
final class Labels {
    static final String PREFIX = "jenkins.artifact_transfer.";

    private Labels() {}

    /** The codec that most bytes were given; of a transfer that was completed. */
    static String codec(TransferResult result) {
        return result.codecs.isEmpty() ? Codec.NONE.symbol() : result.codecs.get(0).codec;
    }

    /** The way that carried more. */
    static String way(TransferResult result) {
        return result.directBytes > result.channelBytes ? "direct" : "channel";
    }

    /** Of a transfer that was not completed. */
    static String cause(TransferResult.Outcome outcome) {
        return outcome == TransferResult.Outcome.FAILED
                ? "other"
                : outcome.name().toLowerCase(Locale.ROOT);
    }
}
