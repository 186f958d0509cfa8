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

    /** With WebSocket, an agent always has the controller's http address, and a slow way would double the duration of the benchmark. */
    private static final List<String> NOT_WEBSOCKET = List.of(JenkinsBench.DIRECT_HTTPS, JenkinsBench.ZIP_PLUGIN);

    /** Returns the ways to measure. */
    List<String> measured(List<String> ways) {
        return this != WEBSOCKET ? ways : ways.stream().filter(way -> !NOT_WEBSOCKET.contains(way)).toList();
    }
}
