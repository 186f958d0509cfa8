package io.jenkins.plugins.compressionaware.transfer;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.CodecAvailability;
import io.jenkins.plugins.compressionaware.engine.send.CompressionMode;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import java.io.PrintStream;

/** Limits the codecs of an agent to those that the controller can decode. */
final class ControllerCodecs {
    private ControllerCodecs() {}

    /** Returns the options without codecs that the controller cannot decode. Logs a replacement for a chosen codec to the build log. */
    static SendOptions of(SendOptions wanted, PrintStream log) {
        if (wanted.compression() instanceof CompressionMode.Fixed fixed) {
            return wanted.with(new CompressionMode.Fixed(
                    fixed.available(lacking -> log.println(Messages.ControllerCodecs_controllerLacks(
                            lacking.codec().symbol(), lacking.replacement().symbol(), lacking.reason())))));
        }
        CompressionMode.Auto auto = (CompressionMode.Auto) wanted.compression();
        boolean zstd =
                auto.zstd() && CodecAvailability.unavailableReason(Codec.ZSTD).isEmpty();
        return wanted.with(new CompressionMode.Auto(auto.minLevel(), auto.maxLevel(), zstd));
    }
}
