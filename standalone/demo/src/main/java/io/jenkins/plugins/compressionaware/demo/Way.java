package io.jenkins.plugins.compressionaware.demo;

import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.send.Compression;
import io.jenkins.plugins.compressionaware.send.SendOptions;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;

/** A way to carry files from the agent to the controller. */
enum Way {
    CORE_GZIP("core", "one gzip stream (as Jenkins core does it)", null),
    CORE_NONE("core-none", "one plain stream (as Jenkins core with compression off)", null),
    NONE(Codec.NONE),
    GZIP(Codec.GZIP),
    LZ4(Codec.LZ4),
    ZSTD(Codec.ZSTD),
    AUTO("auto", "auto (the default)", new SendOptions(new Compression.Auto(0, 9, EnumSet.allOf(Codec.class))));

    private final String id;
    private final String label;
    private final SendOptions options;

    Way(Codec codec) {
        this(
                codec.symbol(),
                codec.hasLevels() ? codec.symbol() + " " + codec.defaultLevel() : codec.symbol(),
                new SendOptions(codec, codec.defaultLevel()));
    }

    Way(String id, String label, SendOptions options) {
        this.id = id;
        this.label = label;
        this.options = options;
    }

    /** Core's default and the plugin's: those the demo compares. */
    static List<Way> compared() {
        return Arrays.stream(values()).filter(way -> way != CORE_NONE).toList();
    }

    /**
     * The way with this {@link #id}.
     *
     * @throws IllegalArgumentException if there is none
     */
    static Way ofId(String id) {
        return Arrays.stream(values())
                .filter(way -> way.id.equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("There is no way '" + id + "'"));
    }

    String id() {
        return id;
    }

    String label() {
        return label;
    }

    boolean isCore() {
        return options == null;
    }

    /** How the plugin's pipeline works in this way; null for core's. */
    SendOptions options() {
        return options;
    }
}
