package io.jenkins.plugins.compressionaware.demo;

import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.transfer.SendOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A way to carry files from the agent to the controller.
 *
 * @param codec the plugin's pipeline with this codec at its default level; empty for core's way
 */
record Way(Optional<Codec> codec) {
    private static final String CORE = "core";

    static List<Way> all() {
        List<Way> ways = new ArrayList<>();
        ways.add(new Way(Optional.empty()));
        for (Codec each : Codec.values()) {
            ways.add(new Way(Optional.of(each)));
        }
        return ways;
    }

    static Way ofId(String id) {
        return id.equals(CORE)
                ? new Way(Optional.empty())
                : new Way(Optional.of(Codec.ofSymbol(id).orElseThrow(() -> new IllegalArgumentException(id))));
    }

    String id() {
        return codec.map(Codec::symbol).orElse(CORE);
    }

    String label() {
        return codec.map(c -> c.hasLevels() ? c.symbol() + " " + c.defaultLevel() : c.symbol())
                .orElse("one gzip stream (as Jenkins core does it)");
    }

    /** How the plugin's pipeline works in this way; not for core's. */
    SendOptions options() {
        return new SendOptions(codec.orElseThrow(), codec.orElseThrow().defaultLevel());
    }
}
