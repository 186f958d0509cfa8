package io.jenkins.plugins.compressionaware.metrics;

import hudson.remoting.ChannelClosedException;
import hudson.remoting.RequestAbortedException;
import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.codec.CorruptFrameException;
import io.jenkins.plugins.compressionaware.report.TransferResult;

/** The few words by which metrics and spans tell transfers apart. */
final class Labels {
    private Labels() {}

    /** The codec that most bytes were given; of a transfer that was completed. */
    static String codec(TransferResult result) {
        return result.sent().usages().stream()
                .findFirst()
                .map(usage -> usage.choice().codec())
                .orElse(Codec.NONE)
                .symbol();
    }

    /** What carried more. */
    static String way(TransferResult result) {
        return result.directBytes() > result.channelBytes() ? "direct" : "channel";
    }

    static String cause(Throwable failure) {
        for (Throwable e = failure; e != null; e = e.getCause()) {
            if (e instanceof InterruptedException) {
                return "aborted";
            }
            if (e instanceof ChannelClosedException || e instanceof RequestAbortedException) {
                return "disconnected";
            }
            if (e instanceof CorruptFrameException) {
                return "damaged";
            }
        }
        return "other";
    }
}
