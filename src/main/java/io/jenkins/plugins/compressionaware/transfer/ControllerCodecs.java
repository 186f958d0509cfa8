package io.jenkins.plugins.compressionaware.transfer;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.codec.ZstdAvailability;
import io.jenkins.plugins.compressionaware.engine.send.CompressionMode;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import java.io.PrintStream;

/** Limits the codecs of an agent to those that the controller can decode. */
final class ControllerCodecs {
    private ControllerCodecs() {}

    /** Returns the options without zstd if the controller cannot decode it. Logs the replacement of a fixed codec to the build log. */
    static SendOptions of(SendOptions wanted, PrintStream log) {
        String problem = wanted.compression().zstd() ? ZstdAvailability.problem() : null;
        if (problem == null) {
            return wanted;
        }
        if (wanted.compression() instanceof CompressionMode.Auto auto) {
            return wanted.with(new CompressionMode.Auto(auto.minLevel(), auto.maxLevel(), false));
        }
        log.println(Messages.ControllerCodecs_controllerLacksZstd(problem));
        return wanted.with(new CompressionMode.Fixed(CodecLevel.GZIP));
    }
}
