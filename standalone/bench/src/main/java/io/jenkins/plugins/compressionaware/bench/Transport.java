package io.jenkins.plugins.compressionaware.bench;

/** How an agent is connected. */
enum Transport {
    TCP("TCP"),
    WEBSOCKET("WebSocket"),
    /** Only for fresh agents. */
    SSH("SSH");

    final String title;

    Transport(String title) {
        this.title = title;
    }
}
