package io.jenkins.plugins.compressionaware.demo;

import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.transfer.Compression;
import io.jenkins.plugins.compressionaware.transfer.SendOptions;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;

/**
 * A way to carry files from the agent to the controller.
 *
 * @param id      {@code core}, {@code auto} or the symbol of a codec
 * @param label   what the table calls it
 * @param options how the plugin's pipeline works in this way; empty for core's way
 */
record Way(String id, String label, Optional<SendOptions> options) {
    /** Core's first, as the baseline, and what the plugin does by default last. */
    static List<Way> all() {
        List<Way> ways = new ArrayList<>();
        ways.add(new Way("core", "one gzip stream (as Jenkins core does it)", Optional.empty()));
        for (Codec codec : Codec.values()) {
            int level = codec.defaultLevel();
            String label = codec.hasLevels() ? codec.symbol() + " " + level : codec.symbol();
            ways.add(new Way(codec.symbol(), label, Optional.of(new SendOptions(codec, level))));
        }
        Compression auto = new Compression.Auto(0, 9, EnumSet.allOf(Codec.class));
        ways.add(new Way("auto", "auto (the default)", Optional.of(new SendOptions(auto))));
        return ways;
    }

    static Way ofId(String id) {
        return all().stream()
                .filter(way -> way.id.equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(id));
    }
}
