package io.jenkins.plugins.compressionaware.adapt;

/**
 * How long a byte takes, and what it costs beside time. All stages work at once, so time is that of the slowest; where several choices are
 * about equally fast, processor time and wire bytes decide.
 *
 * @param read    nanoseconds per raw byte to read files and fill blocks
 * @param lane    nanoseconds per wire byte on all lanes together
 * @param carry   processor time of the lanes on both ends, nanoseconds per wire byte
 * @param threads threads that compress
 */
record CostModel(double read, double lane, double carry, int threads) {
    /**
     * What a wire byte is worth beside that, in nanoseconds of processor time. Between 6 and 80, zstd 1 beats lz4 and stored on text
     * when all are equally fast, and stored beats all on jars. The network is shared with other builds.
     */
    private static final double WIRE = 6;

    /** Share of the time that all costs together may outweigh. */
    private static final double PRICE = 0.06;

    /** The stage that is slowest. */
    enum Stage {
        READ,
        COMPRESS,
        LANE,
        CONTROLLER
    }

    private double time(Stage stage, Load load) {
        return switch (stage) {
            case READ -> read;
            case COMPRESS -> load.compress() / threads;
            case LANE -> load.wire() * lane;
            case CONTROLLER -> load.receive();
        };
    }

    /** Nanoseconds per raw byte. */
    double time(Load load) {
        double time = 0;
        for (Stage stage : Stage.values()) {
            time = Math.max(time, time(stage, load));
        }
        return time;
    }

    Stage slowest(Load load) {
        Stage slowest = Stage.READ;
        for (Stage stage : Stage.values()) {
            slowest = time(stage, load) > time(slowest, load) ? stage : slowest;
        }
        return slowest;
    }

    /**
     * The smaller the better: a logarithm of time, so that a difference of 0.01 is one per cent.
     *
     * @param best nanoseconds per raw byte of the fastest choice there is
     */
    double score(Load load, double best) {
        double cost = load.compress() + load.decode() + load.wire() * (carry + WIRE);
        return Math.log(time(load)) + PRICE * cost / (cost + threads * best);
    }
}
