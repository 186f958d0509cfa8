package io.jenkins.plugins.compressionaware.adapt;

import io.jenkins.plugins.compressionaware.adapt.CostModel.Stage;
import io.jenkins.plugins.compressionaware.adapt.Reason.Limit;
import java.util.EnumMap;
import java.util.Map;

/** Why it was chosen: which stage was the slowest for how many bytes. */
final class ChoiceLog {
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

    void chosen(CostModel model, CostPerByte cost, int rawLength, boolean switched) {
        switches += switched ? 1 : 0;
        Stage stage = model.slowest(cost);
        // a lane's rate is told in wire bytes, since that is what its owner can compare
        double bytes = stage == Stage.LANE ? rawLength * cost.wire() : rawLength;
        slowest.merge(stage, new Stretch(bytes, rawLength * model.time(cost)), Stretch::plus);
    }

    int switches() {
        return switches;
    }

    Reason reason(boolean limitedByRoundTrip) {
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
