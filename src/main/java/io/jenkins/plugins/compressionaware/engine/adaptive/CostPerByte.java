package io.jenkins.plugins.compressionaware.engine.adaptive;

/**
 * The cost of an average raw byte at each stage.
 *
 * @param compress nanoseconds of agent threads
 * @param wire     bytes on the lanes
 */
record CostPerByte(double compress, double wire) {}
