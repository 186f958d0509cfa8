package io.jenkins.plugins.compressionaware.engine.send;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.adaptive.LaneWrite;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;

/** Records all measurements that a policy receives, and cycles through given codec levels. */
class RecordingPolicy implements CompressionPolicy {
    private final List<CodecLevel> choices;
    private int next;
    final Queue<LaneWrite> writes = new ConcurrentLinkedQueue<>();
    final List<String> lanes = new CopyOnWriteArrayList<>();
    final List<String> blocks = new CopyOnWriteArrayList<>();

    RecordingPolicy(CodecLevel... choices) {
        this.choices = List.of(choices);
    }

    @Override
    public synchronized BlockPlan planBlock(byte[] block, int length, String fileName) {
        CodecLevel choice = choices.get(next++ % choices.size());
        return new BlockPlan(
                choice,
                (wireLength, nanos, cpuNanos) ->
                        blocks.add(fileName + " " + length + " " + (wireLength > 0 && nanos > 0)));
    }

    @Override
    public void sent(LaneWrite write) {
        writes.add(write);
    }

    @Override
    public void lanes(int count, boolean direct) {
        lanes.add(count + (direct ? " direct" : " streams"));
    }
}
