package io.jenkins.plugins.compressionaware.bench;

/** The simulated disk for small files. */
enum SlowDisk {
    NEAR("1ms", "1 ms per operation", 1, false),
    FAR("5ms", "5 ms per operation", 5, false),
    SPINDLE("spindle", "1 ms, one at a time", 1, true),
    NONE("none", "not slowed down", 0, false);

    private final String id;
    final String title;
    /** Delay of an operation. */
    final int millis;
    /** True for a single spindle, false for a server. */
    final boolean oneAtATime;

    SlowDisk(String id, String title, int millis, boolean oneAtATime) {
        this.id = id;
        this.title = title;
        this.millis = millis;
        this.oneAtATime = oneAtATime;
    }

    /** Returns the name on the command line. */
    @Override
    public String toString() {
        return id;
    }
}
