package io.jenkins.plugins.compressionaware.send;

import io.jenkins.plugins.compressionaware.adapt.Choice;
import io.jenkins.plugins.compressionaware.adapt.LaneWrite;
import io.jenkins.plugins.compressionaware.adapt.Usage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** A sender's counts while it works. Any thread may add. */
final class SendCounters {
    private final Map<Choice, Usage> usages = new ConcurrentHashMap<>();
    final LongAdder readNanos = new LongAdder();
    final LongAdder writeNanos = new LongAdder();
    final LongAdder wireBytes = new LongAdder();

    void compressed(Choice choice, int rawLength, int wireLength, long nanos) {
        usages.merge(choice, new Usage(choice, 1, rawLength, wireLength, nanos), Usage::plus);
    }

    void sent(LaneWrite write) {
        wireBytes.add(write.wireLength());
        writeNanos.add(write.writeNanos());
    }

    ArrayList<Usage> usages() {
        ArrayList<Usage> list = new ArrayList<>(usages.values());
        list.sort(Comparator.comparingLong(Usage::rawBytes).reversed());
        return list;
    }
}
