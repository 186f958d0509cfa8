package io.jenkins.plugins.compressionaware.faults;

import io.jenkins.plugins.compressionaware.testing.jenkins.Agents;

/** How controller and agent exchange the files. */
enum Way {
    TCP("TCP", Agents.TCP, "off"),
    WEBSOCKET("WebSocket", Agents.WEBSOCKET, "off"),
    DIRECT("direct lane", Agents.WEBSOCKET, "required"),
    /** The root URL is the proxy's, so an agent started by the controller has no other address. */
    PROXY("direct lane through a proxy", null, "auto"),
    SSH("SSH", null, "off");

    final String title;

    /** Null if the controller starts the agent. */
    final Agents agent;

    final String directLane;

    Way(String title, Agents agent, String directLane) {
        this.title = title;
        this.agent = agent;
        this.directLane = directLane;
    }
}
