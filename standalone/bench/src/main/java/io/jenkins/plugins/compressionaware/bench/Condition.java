package io.jenkins.plugins.compressionaware.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** In what a fresh agent has to live. */
enum Condition {
    LOOPBACK("loopback", Shape.LOOPBACK),
    NEAR("20ms", new Shape("20 ms round trip", 0, 20)),
    FAR("100ms", Shape.FAR),
    SLOW("10mbit", Shape.SLOW),
    /** Of histories alone. */
    FAST("100mbit", Shape.FAST),
    ONE_CPU("one-cpu", new Shape("one processor", 0, 0));

    private final String id;
    private final Shape shape;

    Condition(String id, Shape shape) {
        this.id = id;
        this.shape = shape;
    }

    static List<String> ids() {
        return Arrays.stream(values()).map(condition -> condition.id).toList();
    }

    static Condition ofId(String id) {
        return Arrays.stream(values())
                .filter(condition -> condition.id.equals(id))
                .findFirst()
                .orElseThrow();
    }

    Shape shape() {
        return shape;
    }

    /** Options of the agent's JVM: what makes the condition, and what the user wants besides. */
    List<String> jvmOptions(Options options) {
        List<String> all = new ArrayList<>(options.agentOptions);
        if (this == ONE_CPU) {
            all.add("-XX:ActiveProcessorCount=1");
        }
        return all;
    }

    /** How the report names an agent in it. */
    String link(Transport transport) {
        return this == LOOPBACK ? transport.title() : transport.title() + ", " + shape.name();
    }
}
