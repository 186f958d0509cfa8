package io.jenkins.plugins.compressionaware.transfer;

import io.jenkins.plugins.compressionaware.engine.adaptive.Choice;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.CodecProbe;
import io.jenkins.plugins.compressionaware.engine.send.Compression;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import java.io.PrintStream;
import java.util.EnumSet;

/** Limits an agent's codecs to those that this controller can decode. */
final class Decodable {
    private Decodable() {}

    /** The same options, or with a replacement codec, which the build log reports. */
    static SendOptions of(SendOptions wanted, PrintStream log) {
        return wanted.with(of(wanted.compression(), log));
    }

    private static Compression of(Compression wanted, PrintStream log) {
        EnumSet<Codec> usable = EnumSet.copyOf(wanted.usable());
        usable.removeIf(codec -> CodecProbe.problem(codec).isPresent());
        if (wanted instanceof Compression.Auto auto) {
            return new Compression.Auto(auto.minLevel(), auto.maxLevel(), usable);
        }
        Choice chosen = ((Compression.Fixed) wanted).choice();
        Codec codec = CodecProbe.workingFor(
                chosen.codec(),
                usable,
                lacking -> log.println(Messages.Decodable_controllerLacks(
                        lacking.codec().symbol(), lacking.replacement().symbol(), lacking.reason())));
        return new Compression.Fixed(
                codec == chosen.codec() ? chosen : new Choice(codec, codec.defaultLevel()), usable);
    }
}
