package io.jenkins.plugins.compressionaware.bench;

/** What the small files are on. */
enum SlowDisk {
    NEAR("1ms", "1 ms per operation", 1, false),
    FAR("5ms", "5 ms per operation", 5, false),
    SPINDLE("spindle", "1 ms, one at a time", 1, true),
    NONE("none", "as it is", 0, false);

    private final String id;
    final String title;
    /** Of an operation. */
    final int millis;
    /** As a disk with one spindle; a server answers many. */
    final boolean oneAtATime;

    SlowDisk(String id, String title, int millis, boolean oneAtATime) {
        this.id = id;
        this.title = title;
        this.millis = millis;
        this.oneAtATime = oneAtATime;
    }

    /** How the command line names it. */
    @Override
    public String toString() {
        return id;
    }
}
