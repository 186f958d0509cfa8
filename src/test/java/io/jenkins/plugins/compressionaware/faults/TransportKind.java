package io.jenkins.plugins.compressionaware.faults;

import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;

/** How controller and agent exchange the files. */
enum TransportKind {
    TCP("TCP", InboundTransport.TCP, "off"),
    WEBSOCKET("WebSocket", InboundTransport.WEBSOCKET, "off"),
    DIRECT("direct HTTP", InboundTransport.WEBSOCKET, "required"),
    /** The root URL is the proxy's, so an agent started by the controller has no other address. */
    PROXY("direct HTTP through a proxy", null, "auto"),
    SSH("SSH", null, "off");

    final String title;

    /** Null if the controller starts the agent. */
    final InboundTransport agent;

    final String directLane;

    TransportKind(String title, InboundTransport agent, String directLane) {
        this.title = title;
        this.agent = agent;
        this.directLane = directLane;
    }
}
