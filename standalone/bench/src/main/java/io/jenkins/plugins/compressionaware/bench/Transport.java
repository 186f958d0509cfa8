package io.jenkins.plugins.compressionaware.bench;

import java.util.Locale;

/** How an agent is connected. */
enum Transport {
    TCP("TCP"),
    WEBSOCKET("WebSocket"),
    /** Only for fresh agents. */
    SSH("SSH");

    private final String title;

    Transport(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Transport ofId(String id) {
        return valueOf(id.toUpperCase(Locale.ROOT));
    }
}
