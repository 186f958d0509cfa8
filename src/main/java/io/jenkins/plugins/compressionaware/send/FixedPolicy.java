package io.jenkins.plugins.compressionaware.send;

import io.jenkins.plugins.compressionaware.adapt.Choice;
import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.codec.CodecProbe;
import java.util.Optional;

/** One choice for all blocks, or a lesser one where its codec does not work. */
final class FixedPolicy implements Policy {
    private final Choice choice;
    private final String remark;

    FixedPolicy(Choice wanted) {
        Codec codec = wanted.codec();
        String problems = null;
        for (Optional<String> problem = CodecProbe.problem(codec);
                problem.isPresent() && codec != Codec.GZIP;
                problem = CodecProbe.problem(codec)) {
            Codec lesser = CodecProbe.lesser(codec);
            problems = (problems == null ? "" : problems + "; ") + codec.symbol() + " does not work on this agent, "
                    + lesser.symbol() + " is used instead: " + problem.get();
            codec = lesser;
        }
        choice = codec == wanted.codec() ? wanted : new Choice(codec, codec.defaultLevel());
        remark = problems;
    }

    @Override
    public Plan plan(byte[] block, int length, String fileName) {
        return () -> choice;
    }

    // a stream of gzip members must end with one, or gzip -d would complain
    @Override
    public Choice end() {
        return choice;
    }

    @Override
    public String remark() {
        return remark;
    }
}
