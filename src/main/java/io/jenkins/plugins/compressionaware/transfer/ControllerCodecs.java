package io.jenkins.plugins.compressionaware.transfer;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.CodecAvailability;
import io.jenkins.plugins.compressionaware.engine.send.CompressionMode;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import java.io.PrintStream;
import java.util.EnumSet;

/** Limits the codecs of an agent to those that the controller can decode. */
final class ControllerCodecs {
    private ControllerCodecs() {}

    /** Returns the options without codecs that the controller cannot decode. Logs a replacement for a chosen codec to the build log. */
    static SendOptions of(SendOptions wanted, PrintStream log) {
        return wanted.with(of(wanted.compression(), log));
    }

    private static CompressionMode of(CompressionMode wanted, PrintStream log) {
        EnumSet<Codec> usable = EnumSet.copyOf(wanted.usable());
        usable.removeIf(codec -> CodecAvailability.unavailableReason(codec).isPresent());
        if (wanted instanceof CompressionMode.Auto auto) {
            return new CompressionMode.Auto(auto.minLevel(), auto.maxLevel(), usable);
        }
        CodecLevel chosen = ((CompressionMode.Fixed) wanted).choice();
        Codec codec = CodecAvailability.resolve(
                chosen.codec(),
                usable,
                lacking -> log.println(Messages.ControllerCodecs_controllerLacks(
                        lacking.codec().symbol(), lacking.replacement().symbol(), lacking.reason())));
        return new CompressionMode.Fixed(
                codec == chosen.codec() ? chosen : new CodecLevel(codec, codec.defaultLevel()), usable);
    }
}
