package io.jenkins.plugins.compressionaware.faults;

import io.jenkins.plugins.compressionaware.testing.jenkins.Agents;

/** How the bytes travel. */
enum Way {
    TCP("TCP", Agents.TCP, "off"),
    WEBSOCKET("WebSocket", Agents.WEBSOCKET, "off"),
    DIRECT("direct lane", Agents.WEBSOCKET, "required"),
    /** The root URL is a proxy's, and an agent that the controller has started knows no other. */
    PROXY("direct lane through a proxy", null, "auto"),
    SSH("SSH", null, "off");

    final String title;

    /** Null if the controller starts it. */
    final Agents agent;

    final String directLane;

    Way(String title, Agents agent, String directLane) {
        this.title = title;
        this.agent = agent;
        this.directLane = directLane;
    }
}
