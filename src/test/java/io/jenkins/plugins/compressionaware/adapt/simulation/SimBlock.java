package io.jenkins.plugins.compressionaware.adapt.simulation;

/** A block on its way through the simulated pipeline. */
final class SimBlock {
    final int number;
    final SimData data;
    int wireLength;

    /** Nanoseconds per raw byte. */
    double decode;

    boolean compressed;
    boolean decoded;

    SimBlock(int number, SimData data) {
        this.number = number;
        this.data = data;
    }
}
