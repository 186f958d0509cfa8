package io.jenkins.plugins.compressionaware.demo;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.send.CompressionMode;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;

/** A protocol and codec to send files from the agent to the controller. */
public enum Way {
    CORE("Jenkins", "Jenkins itself (one gzip stream)", null),
    NONE(Codec.NONE),
    GZIP(Codec.GZIP),
    LZ4(Codec.LZ4),
    ZSTD(Codec.ZSTD),
    AUTO("auto", "plugin, auto (default codec)", new SendOptions(new CompressionMode.Auto(0, 9, true)));

    private final String id;
    private final String label;
    private final SendOptions options;

    Way(Codec codec) {
        this(
                codec.symbol(),
                "plugin, " + codec.symbol() + (codec.hasLevels() ? " " + codec.defaultLevel() : ""),
                new SendOptions(codec, codec.defaultLevel()));
    }

    Way(String id, String label, SendOptions options) {
        this.id = id;
        this.label = label;
        this.options = options;
    }

    /** Returns the name, which is also the name of the column. */
    public String id() {
        return id;
    }

    String label() {
        return label;
    }

    boolean isCore() {
        return options == null;
    }

    /** Returns the plugin's options, or null for Jenkins core. */
    SendOptions options() {
        return options;
    }
}
