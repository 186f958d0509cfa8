package io.jenkins.plugins.compressionaware.bench;

import java.util.List;

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

    /** Returns the ways to measure. With WebSocket, an agent always has the controller's http address. */
    List<String> measured(List<String> ways) {
        return this != WEBSOCKET ? ways : ways.stream().filter(way -> !way.equals(JenkinsBench.DIRECT_HTTPS)).toList();
    }
}
