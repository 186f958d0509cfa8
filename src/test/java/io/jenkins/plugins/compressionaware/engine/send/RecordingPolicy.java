package io.jenkins.plugins.compressionaware.engine.send;

import io.jenkins.plugins.compressionaware.engine.adaptive.Choice;
import io.jenkins.plugins.compressionaware.engine.adaptive.LaneWrite;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;

/** Notes all that a policy hears, and chooses one after the other of some choices. */
class RecordingPolicy implements Policy {
    private final List<Choice> choices;
    private int next;
    final Queue<LaneWrite> writes = new ConcurrentLinkedQueue<>();
    final List<String> lanes = new CopyOnWriteArrayList<>();
    final List<Integer> read = new CopyOnWriteArrayList<>();
    final List<String> blocks = new CopyOnWriteArrayList<>();

    RecordingPolicy(Choice... choices) {
        this.choices = List.of(choices);
    }

    @Override
    public synchronized Plan plan(byte[] block, int length, String fileName) {
        Choice choice = choices.get(next++ % choices.size());
        return new Plan(
                choice,
                (wireLength, nanos, cpuNanos) ->
                        blocks.add(fileName + " " + length + " " + (wireLength > 0 && nanos > 0)));
    }

    @Override
    public void read(int rawLength, long nanos) {
        read.add(rawLength);
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
