package io.jenkins.plugins.compressionaware.adapt;

import java.util.EnumMap;
import java.util.Map;

/**
 * The codecs' performance before anything is measured. One thread, blocks of 256 KiB, zstd-jni 1.5.7, lz4-java 1.13 with JNI, a current server
 * processor. TEXT is Java source up to zstd 3 as in the project's design figures; from 6 on, Java and Python source, scaled to agree
 * with them at 3. BINARY is class files, NOISE is jars, SPARSE is logs at half their ratio, DENSE lies between BINARY and NOISE. What
 * counts is the shape along the ladder; the absolute figures are corrected from the first blocks on.
 */
final class BuiltIn {
    private static final Map<Look, BuiltIn> OF_LOOK = new EnumMap<>(Look.class);

    static {
        // stored, lz4, zstd 1, 3, 6, 9, 15
        OF_LOOK.put(
                Look.TEXT,
                new BuiltIn(
                        new double[] {0.1, 2.53, 3.03, 3.97, 11.2, 19.7, 143},
                        new double[] {1, 0.285, 0.199, 0.188, 0.171, 0.166, 0.156},
                        new double[] {0.1, 0.46, 0.83, 0.90, 0.85, 0.88, 0.95}));
        OF_LOOK.put(
                Look.BINARY,
                new BuiltIn(
                        new double[] {0.1, 1.51, 2.39, 3.90, 9.04, 14.1, 130},
                        new double[] {1, 0.506, 0.361, 0.339, 0.320, 0.309, 0.298},
                        new double[] {0.1, 0.30, 0.85, 0.95, 0.90, 0.95, 1.10}));
        OF_LOOK.put(
                Look.DENSE,
                new BuiltIn(
                        new double[] {0.1, 1.00, 2.00, 3.20, 8.00, 12.0, 100},
                        new double[] {1, 0.830, 0.720, 0.700, 0.690, 0.685, 0.675},
                        new double[] {0.1, 0.20, 0.60, 0.60, 0.60, 0.60, 0.70}));
        OF_LOOK.put(
                Look.NOISE,
                new BuiltIn(
                        new double[] {0.1, 0.40, 0.90, 1.90, 6.00, 7.00, 45},
                        new double[] {1, 0.975, 0.970, 0.966, 0.964, 0.963, 0.962},
                        new double[] {0.1, 0.15, 0.22, 0.24, 0.24, 0.25, 0.30}));
        OF_LOOK.put(
                Look.SPARSE,
                new BuiltIn(
                        new double[] {0.1, 0.60, 0.70, 0.90, 3.20, 5.00, 80},
                        new double[] {1, 0.060, 0.040, 0.038, 0.034, 0.033, 0.031},
                        new double[] {0.1, 0.15, 0.30, 0.30, 0.30, 0.30, 0.38}));
    }

    private final double[] compress;
    private final double[] ratio;
    private final double[] decode;

    private BuiltIn(double[] compress, double[] ratio, double[] decode) {
        this.compress = compress;
        this.ratio = ratio;
        this.decode = decode;
    }

    static BuiltIn of(Look look) {
        return OF_LOOK.get(look);
    }

    /** Nanoseconds per raw byte on one thread of the agent. */
    double compress(int rung) {
        return compress[rung];
    }

    /** Wire bytes per raw byte. */
    double ratio(int rung) {
        return ratio[rung];
    }

    /** Nanoseconds per raw byte on one thread of the controller. */
    double decode(int rung) {
        return decode[rung];
    }
}
