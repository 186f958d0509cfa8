package io.jenkins.plugins.compressionaware.engine.send;

import io.jenkins.plugins.compressionaware.engine.adaptive.Choice;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.CodecProbe;
import java.util.ArrayList;

/** Uses one choice for all blocks, with a replacement where its codec does not work. */
final class FixedPolicy implements Policy {
    private final Choice choice;
    private final ArrayList<CodecProbe.Unusable> unusable = new ArrayList<>();

    FixedPolicy(Compression.Fixed wanted) {
        Codec chosen = wanted.choice().codec();
        Codec codec = CodecProbe.workingFor(chosen, wanted.usable(), unusable::add);
        choice = codec == chosen ? wanted.choice() : new Choice(codec, codec.defaultLevel());
    }

    @Override
    public Plan plan(byte[] block, int length, String fileName) {
        return new Plan(choice, (wireLength, nanos, cpuNanos) -> {});
    }

    // a stream of gzip members must end with one, or gzip -d would complain
    @Override
    public Choice end() {
        return choice;
    }

    @Override
    public ArrayList<CodecProbe.Unusable> unusable() {
        return unusable;
    }
}
