package io.jenkins.plugins.compressionaware.adapt;

import java.util.Arrays;

/**
 * What the controller needs to decode and unpack, in nanoseconds per raw byte, from the load that it reports: by the utilisation law, the time
 * that a byte takes there is the load times the time that passed per byte.
 */
final class ReceiverCost {
    /** Untar and write to a file in memory, nanoseconds per raw byte: 1 GB/s. */
    static final double UNPACK = 1.0;

    /** Blocks that are decoded at the same time, while one is unpacked; more only help a controller with more idle cores. */
    private static final double DECODERS = 2;

    /** A report about less than this many bytes says nothing. */
    private static final long FEW = 256 * 1024;

    private final Correction correction = new Correction(Ladder.ALL.size());
    private final double[] raw = new double[Ladder.ALL.size()];
    private double decoding;
    private double total;

    /** The expected cost of a byte of this kind in the controller, nanoseconds. */
    double cost(double decode, int rung) {
        return Math.max(UNPACK, decode / DECODERS) * correction.factor(group(rung));
    }

    /** A block has been given to the lanes: what the next report will be about. */
    void coming(double decode, int rung, int rawLength) {
        raw[group(rung)] += rawLength;
        decoding += cost(decode, rung) * rawLength;
        total += rawLength;
    }

    /** See {@link Selector#controller}. */
    void reported(double load, long rawBytes, long nanos) {
        if (rawBytes >= FEW && total > 0 && load > 0) {
            correction.measured(mostly(), decoding / total, load * nanos / rawBytes);
        }
        Arrays.fill(raw, 0);
        decoding = 0;
        total = 0;
    }

    // decoding costs nearly the same at every level of a codec
    private static int group(int rung) {
        return Math.min(rung, Ladder.rung(Choice.zstd(1)));
    }

    private int mostly() {
        int most = 0;
        for (int i = 1; i < raw.length; i++) {
            most = raw[i] > raw[most] ? i : most;
        }
        return most;
    }
}
