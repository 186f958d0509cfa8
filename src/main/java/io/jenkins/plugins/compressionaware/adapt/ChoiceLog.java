package io.jenkins.plugins.compressionaware.adapt;

import io.jenkins.plugins.compressionaware.adapt.CostModel.Stage;
import io.jenkins.plugins.compressionaware.adapt.Reason.Limit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Counts what was chosen, and which stage was the slowest for how many bytes. */
final class ChoiceLog {
    private final Usage[] usages = new Usage[Ladder.ALL.size()];
    private final Map<Stage, Stretch> slowest = new EnumMap<>(Stage.class);
    private int switches;

    /** Bytes for which a stage was the slowest, and the nanoseconds that it was expected to take for them. */
    private record Stretch(double bytes, double nanos) {
        Stretch plus(Stretch other) {
            return new Stretch(bytes + other.bytes, nanos + other.nanos);
        }

        double bytesPerSecond() {
            return bytes / nanos * 1e9;
        }
    }

    ChoiceLog(List<Choice> choices) {
        for (int i = 0; i < usages.length; i++) {
            usages[i] = new Usage(choices.get(i), 0, 0, 0, 0);
        }
    }

    void chosen(CostModel model, CostPerByte cost, int rawLength, boolean switched) {
        switches += switched ? 1 : 0;
        Stage stage = model.slowest(cost);
        // a lane's rate is told in wire bytes, since that is what its owner can compare
        double bytes = stage == Stage.LANE ? rawLength * cost.wire() : rawLength;
        slowest.merge(stage, new Stretch(bytes, rawLength * model.time(cost)), Stretch::plus);
    }

    void compressed(int rung, int rawLength, int wireLength, long nanos) {
        usages[rung] = usages[rung].plus(rawLength, wireLength, nanos);
    }

    AutoReport report(boolean limitedByRoundTrip) {
        ArrayList<Usage> used = new ArrayList<>();
        for (Usage usage : usages) {
            if (usage.blocks() > 0) {
                used.add(usage);
            }
        }
        return new AutoReport(used, reason(limitedByRoundTrip), switches);
    }

    private Reason reason(boolean limitedByRoundTrip) {
        return slowest.entrySet().stream()
                .max(Map.Entry.comparingByValue((a, b) -> Double.compare(a.nanos, b.nanos)))
                .map(entry -> new Reason(
                        limit(entry.getKey(), limitedByRoundTrip),
                        entry.getValue().bytesPerSecond()))
                .orElse(new Reason(Limit.NOTHING_MEASURED));
    }

    private static Limit limit(Stage stage, boolean limitedByRoundTrip) {
        return switch (stage) {
            case READ -> Limit.READING;
            case COMPRESS -> Limit.COMPRESSION;
            case LANE -> limitedByRoundTrip ? Limit.ROUND_TRIP : Limit.LINK;
            case PROCESSORS -> Limit.PROCESSORS;
        };
    }
}
