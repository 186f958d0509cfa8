package io.jenkins.plugins.compressionaware.engine.adaptive;

/**
 * How long a byte takes, and what else it costs. All stages work at once, so the slowest determines the time; among choices that are
 * about equally fast, CPU time and wire bytes decide. Where agent and controller share their processors, the CPU time of all stages
 * together counts as a further stage: a stage that needs less of it helps the others.
 *
 * @param read    nanoseconds per raw byte to read files and fill blocks
 * @param lane    nanoseconds per wire byte on all lanes together
 * @param carry   CPU time of the lanes on both ends, nanoseconds per wire byte
 * @param threads threads that compress
 * @param shared  processors that agent and controller share; 0 if each has its own
 */
record CostModel(
        double readNanosPerByte, double laneNanosPerByte, double laneCpuNanosPerByte, int threads, int shared) {
    /**
     * Price of a wire byte as a multiple of the lanes' CPU time for it, since others use the lane too. From about 6 on, jars are
     * compressed on their way over the channel where that costs no time.
     */
    private static final double WIRE_BYTE_PRICE_FACTOR = 6;

    /**
     * Weight of the logarithm of the costs relative to that of the time. At 0.5, the simulation's worst situation is 8.5 % slower than the
     * best fixed choice, at 0.3 it is 7 % slower.
     */
    private static final double COST_WEIGHT = 0.3;

    /**
     * Factor by which shared processors must finish sooner with one choice than with another for the difference to count as time; smaller
     * differences count only as costs. Estimates are no more precise than this while all stages wait for each other's processors.
     */
    private static final double SHARED_CPU_TOLERANCE = 1.25;

    /** CPU time of the controller to untar and write, nanoseconds per raw byte: 1 GB/s to a file in memory. */
    private static final double UNPACK_NANOS_PER_BYTE = 1.0;

    /** Nanoseconds per raw byte of the slowest stage. */
    double time(CostPerByte cost) {
        return Math.max(pipeline(cost), processors(cost));
    }

    private double pipeline(CostPerByte cost) {
        return Math.max(Math.max(readNanosPerByte, cost.compress() / threads), cost.wire() * laneNanosPerByte);
    }

    /** Nanoseconds per raw byte of the shared processors; 0 if none are shared. */
    double processors(CostPerByte cost) {
        return shared == 0
                ? 0
                : (readNanosPerByte
                                + cost.compress()
                                + cost.wire() * laneCpuNanosPerByte
                                + cost.decode()
                                + UNPACK_NANOS_PER_BYTE)
                        / shared;
    }

    /**
     * Rates a choice; smaller is better. The score is the logarithm of the time, so that 0.01 is one per cent, plus a weighted one of the
     * costs relative to the time of the fastest choice. Costs hardly matter while a stage is slow.
     *
     * @param best nanoseconds per raw byte of the fastest choice
     */
    double score(CostPerByte cost, double best) {
        double price = cost.compress() + cost.decode() + cost.wire() * laneCpuNanosPerByte * WIRE_BYTE_PRICE_FACTOR;
        return Math.log(effectiveNanos(cost, best)) + COST_WEIGHT * Math.log1p(price / (threads * best));
    }

    private double effectiveNanos(CostPerByte cost, double best) {
        double processors = processors(cost);
        return Math.max(pipeline(cost), Math.min(processors, Math.max(best, processors / SHARED_CPU_TOLERANCE)));
    }
}
