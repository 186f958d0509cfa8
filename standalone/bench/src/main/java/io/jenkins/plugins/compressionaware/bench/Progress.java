package io.jenkins.plugins.compressionaware.bench;

import java.util.Locale;

/** Tells the user what is going on. */
final class Progress {
    private final long start = System.nanoTime();

    /** A line, with the minutes and seconds since the start before it. */
    void say(String format, Object... args) {
        long seconds = (System.nanoTime() - start) / 1_000_000_000L;
        System.out.printf(Locale.ROOT, "[%d:%02d] ", seconds / 60, seconds % 60);
        System.out.printf(Locale.ROOT, format + "%n", args);
    }
}
