package io.jenkins.plugins.compressionaware.agent;

import io.jenkins.plugins.compressionaware.adapt.Choice;
import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.codec.CodecProbe;
import io.jenkins.plugins.compressionaware.send.Compression;
import io.jenkins.plugins.compressionaware.send.SendOptions;
import java.io.PrintStream;
import java.util.EnumSet;

/** What this controller can decode of what an agent is to send. */
final class Decodable {
    private Decodable() {}

    /** The same options, or with a lesser codec, which is said in the build log. */
    static SendOptions of(SendOptions wanted, PrintStream log) {
        return wanted.with(of(wanted.compression(), log));
    }

    private static Compression of(Compression wanted, PrintStream log) {
        if (wanted instanceof Compression.Auto auto) {
            EnumSet<Codec> usable = EnumSet.copyOf(auto.usable());
            usable.removeIf(codec -> CodecProbe.problem(codec).isPresent());
            return new Compression.Auto(auto.minLevel(), auto.maxLevel(), usable);
        }
        Codec codec = ((Compression.Fixed) wanted).choice().codec();
        Codec usable = CodecProbe.workingFor(
                codec,
                lacking -> log.println(Messages.Decodable_controllerLacks(
                        lacking.codec().symbol(), lacking.replacement().symbol(), lacking.reason())));
        return usable == codec ? wanted : new Compression.Fixed(new Choice(usable, usable.defaultLevel()));
    }
}
