package io.jenkins.plugins.compressionaware.engine.adaptive;

/**
 * Rates codec levels by the time and the other costs of a byte. All stages work in parallel, so the slowest determines the time; among about equally fast
 * choices, CPU time and wire bytes decide. If agent and controller share processors, the CPU time of all stages together counts as a further stage.
 *
 * @param laneNanosPerByte nanoseconds per wire byte over all lanes together
 * @param laneCpuNanosPerByte CPU time of the lanes on both ends, nanoseconds per wire byte
 * @param shared processors that agent and controller share; 0 if each has its own
 */
record CostModel(double laneNanosPerByte, double laneCpuNanosPerByte, int threads, int shared) {
    /**
     * Price of a wire byte as a multiple of the lanes' CPU time for it, because others use the network too. From about 6, jars are
     * compressed over the channel if the compression takes no additional time.
     */
    private static final double WIRE_BYTE_PRICE_FACTOR = 6;

    /** Weight of the costs, where the time has weight 1; both are logarithms. At 0.3, the worst simulated transfer is 7 % slower than the best fixed choice. */
    private static final double COST_WEIGHT = 0.3;

    /**
     * Ratio up to which CPU times on shared processors are treated as equally fast, because estimates are no more precise while all stages
     * wait for the same processors.
     */
    private static final double SHARED_CPU_TOLERANCE = 1.25;

    /** CPU time of both ends to read, unpack and write files in memory, nanoseconds per raw byte. */
    private static final double FILE_NANOS_PER_BYTE = 2;

    /** Returns nanoseconds per raw byte of the slowest stage. */
    double time(CostPerByte cost) {
        return Math.max(pipeline(cost), processors(cost));
    }

    private double pipeline(CostPerByte cost) {
        return Math.max(cost.compress() / threads, cost.wire() * laneNanosPerByte);
    }

    /** Returns nanoseconds per raw byte of the shared processors; 0 if none are shared. */
    double processors(CostPerByte cost) {
        return shared == 0 ? 0 : (cost.compress() + cost.wire() * laneCpuNanosPerByte + FILE_NANOS_PER_BYTE) / shared;
    }

    /**
     * Rates a choice; smaller is better. The score is the logarithm of the time, so 0.01 is one percent, plus the weighted logarithm of the
     * costs relative to {@code best}. Costs hardly matter while a stage is slow.
     *
     * @param best nanoseconds per raw byte of the fastest choice
     */
    double score(CostPerByte cost, double best) {
        double price = cost.compress() + cost.wire() * laneCpuNanosPerByte * WIRE_BYTE_PRICE_FACTOR;
        return Math.log(effectiveNanos(cost, best)) + COST_WEIGHT * Math.log1p(price / (threads * best));
    }

    private double effectiveNanos(CostPerByte cost, double best) {
        double processors = processors(cost);
        return Math.max(pipeline(cost), Math.min(processors, Math.max(best, processors / SHARED_CPU_TOLERANCE)));
    }
}
