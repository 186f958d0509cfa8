package io.jenkins.plugins.compressionaware.adapt;

import io.jenkins.plugins.compressionaware.adapt.Reason.Limit;

/**
 * How long a byte takes, and what it costs beside time. All stages work at once, so time is that of the slowest; where several choices are
 * about equally fast, CPU time and wire bytes decide. Where agent and controller share their processors, what all stages need of
 * those is a stage of its own: a stage that leaves some idle helps the others.
 *
 * @param read    nanoseconds per raw byte to read files and fill blocks
 * @param lane    nanoseconds per wire byte on all lanes together
 * @param carry   CPU time of the lanes on both ends, nanoseconds per wire byte
 * @param threads threads that compress
 * @param shared  processors that agent and controller share; 0 if each has its own
 */
record CostModel(double read, double lane, double carry, int threads, int shared) {
    /**
     * How many times the CPU time of the lanes a wire byte is worth, since others want to use the lane, too. From about 6 on, jars are
     * compressed on their way over the channel where that costs no time.
     */
    private static final double SHARED_LANE = 6;

    /**
     * How much a logarithm of costs weighs against one of time. At 0.5, the simulation's worst situation is 8.5 % slower than the best
     * fixed choice, at 0.3 7 %.
     */
    private static final double PRICE = 0.3;

    /**
     * How much faster shared processors must get done with one choice than with another for that to count as time; less is left to the
     * costs. Estimates of what each choice needs are no better than that while all stages wait for each other's processor.
     */
    private static final double BAND = 1.25;

    /** CPU time of the controller to untar and write, nanoseconds per raw byte: 1 GB/s to a file in memory. */
    private static final double UNPACK = 1.0;

    /** Of a stage, nanoseconds per raw byte; 0 of what is none. */
    private double time(Limit stage, CostPerByte cost) {
        return switch (stage) {
            case READING -> read;
            case COMPRESSION -> cost.compress() / threads;
            case LINK -> cost.wire() * lane;
            case PROCESSORS ->
                shared == 0 ? 0 : (read + cost.compress() + cost.wire() * carry + cost.decode() + UNPACK) / shared;
            default -> 0;
        };
    }

    /** Nanoseconds per raw byte. */
    double time(CostPerByte cost) {
        return time(slowest(cost), cost);
    }

    /** The slowest stage. */
    Limit slowest(CostPerByte cost) {
        Limit slowest = Limit.READING;
        for (Limit stage : Limit.values()) {
            slowest = time(stage, cost) > time(slowest, cost) ? stage : slowest;
        }
        return slowest;
    }

    /**
     * The smaller the better: a logarithm of time, so that a difference of 0.01 is one per cent, and of what the choice costs measured by
     * the time there is. While a slow stage takes its time, costs hardly matter.
     *
     * @param best nanoseconds per raw byte of the fastest choice there is
     */
    double score(CostPerByte cost, double best) {
        double price = cost.compress() + cost.decode() + cost.wire() * carry * SHARED_LANE;
        return Math.log(timeThatCounts(cost, best)) + PRICE * Math.log1p(price / (threads * best));
    }

    private double timeThatCounts(CostPerByte cost, double best) {
        double counts = 0;
        for (Limit stage : Limit.values()) {
            double time = time(stage, cost);
            counts = Math.max(counts, stage == Limit.PROCESSORS ? Math.min(time, Math.max(best, time / BAND)) : time);
        }
        return counts;
    }
}
