package io.jenkins.plugins.compressionaware.bench;

import java.util.Arrays;
import java.util.List;

/** What the small files are on. */
enum SlowDisk {
    NEAR("1ms", "1 ms per operation", 1, false),
    FAR("5ms", "5 ms per operation", 5, false),
    SPINDLE("spindle", "1 ms, one at a time", 1, true),
    NONE("none", "as it is", 0, false);

    private final String id;
    private final String title;
    private final double millis;
    private final boolean oneAtATime;

    SlowDisk(String id, String title, double millis, boolean oneAtATime) {
        this.id = id;
        this.title = title;
        this.millis = millis;
        this.oneAtATime = oneAtATime;
    }

    static List<String> ids() {
        return Arrays.stream(values()).map(disk -> disk.id).toList();
    }

    static SlowDisk ofId(String id) {
        return Arrays.stream(values()).filter(disk -> disk.id.equals(id)).findFirst().orElseThrow();
    }

    String title() {
        return title;
    }

    /** Of an operation. */
    double millis() {
        return millis;
    }

    /** As a disk with one spindle; a server answers many. */
    boolean oneAtATime() {
        return oneAtATime;
    }
}
