package io.jenkins.plugins.compressionaware.bench;

import java.util.List;

/** A simulated link between controller and agents, or a limit of the agent. */
enum Condition {
    LOOPBACK("loopback", "loopback", 0, 0),
    NEAR("20ms", "20 ms round trip", 0, 20),
    FAR("100ms", "100 ms round trip", 0, 100),
    SLOW("10mbit", "10 Mbit/s", 10_000_000, 0),
    /** Not measured with fresh agents, nor are faster links. */
    FAST("100mbit", "100 Mbit/s", 100_000_000, 0),
    GIGABIT("1gbit", "1 Gbit/s", 1_000_000_000, 0),
    GIGABIT_NEAR("1gbit-0.5ms", "1 Gbit/s with 0.5 ms", 1_000_000_000, 0.5),
    GIGABIT_1("1gbit-1ms", "1 Gbit/s with 1 ms", 1_000_000_000, 1),
    GIGABIT_3("1gbit-3ms", "1 Gbit/s with 3 ms", 1_000_000_000, 3),
    GIGABIT_FAR("1gbit-10ms", "1 Gbit/s with 10 ms", 1_000_000_000, 10),
    GIGABIT_20("1gbit-20ms", "1 Gbit/s with 20 ms", 1_000_000_000, 20),
    GIGABIT_30("1gbit-30ms", "1 Gbit/s with 30 ms", 1_000_000_000, 30),
    ONE_CPU("one-cpu", "one processor", 0, 0);

    private final String id;
    private final String title;
    /** In each direction; 0 for no limit. */
    final long bitsPerSecond;
    /** Milliseconds added to a round trip, half in each direction. */
    final double roundTrip;

    Condition(String id, String title, long bitsPerSecond, double roundTrip) {
        this.id = id;
        this.title = title;
        this.bitsPerSecond = bitsPerSecond;
        this.roundTrip = roundTrip;
    }

    /** Returns the links with which warm agents are measured, in the order of the report. */
    static Condition[] ofWarmAgents() {
        return new Condition[] {
            GIGABIT_NEAR, GIGABIT_1, GIGABIT_3, GIGABIT_FAR, GIGABIT_20, GIGABIT_30, FAST, SLOW, FAR
        };
    }

    /** Returns the links over which agents unstash, in the order of the report. */
    static Condition[] ofReaders() {
        return new Condition[] {GIGABIT, GIGABIT_1, GIGABIT_3, GIGABIT_FAR, GIGABIT_20, GIGABIT_30, FAST, SLOW};
    }

    boolean isShaped() {
        return bitsPerSecond > 0 || roundTrip > 0;
    }

    /** Returns options of the agent's JVM. */
    List<String> jvmOptions() {
        return this == ONE_CPU ? List.of("-XX:ActiveProcessorCount=1") : List.of();
    }

    /** Returns the name of the link in the report. */
    String link(Transport transport) {
        return this == LOOPBACK ? transport.title : transport.title + ", " + title;
    }

    /** Returns the name on the command line. */
    @Override
    public String toString() {
        return id;
    }
}
