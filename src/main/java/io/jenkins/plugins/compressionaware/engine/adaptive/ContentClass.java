package io.jenkins.plugins.compressionaware.engine.adaptive;

import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The class of a block's content, guessed from a sample, with the initial figures of each rung. Only their shape along the {@link CompressionLadder} matters,
 * because each family's results correct them. Measured on one thread with blocks of 256 KiB, see docs/auto-selection.md.
 */
@Restricted(NoExternalUse.class)
public enum ContentClass {
    /** Byte values as evenly distributed as noise: compressed, encrypted or random. */
    NOISE(
            new double[] {0.1, 0.90, 1.90, 6.00, 7.00, 45, 0.80, 25, 54},
            new double[] {1, 0.970, 0.966, 0.964, 0.963, 0.962, 0.975, 0.97, 0.966}),
    /** Byte values almost as evenly distributed: some media formats, packed data, machine code. */
    DENSE(
            new double[] {0.1, 2.00, 3.20, 8.00, 12.0, 100, 2.90, 18, 40},
            new double[] {1, 0.720, 0.700, 0.690, 0.685, 0.675, 0.83, 0.74, 0.7}),
    /** Class files, executables, uncompressed archives, databases. */
    BINARY(
            new double[] {0.1, 2.39, 3.90, 9.04, 14.1, 130, 5.60, 12, 30},
            new double[] {1, 0.361, 0.339, 0.320, 0.309, 0.298, 0.506, 0.38, 0.34}),
    /** Printable text. */
    TEXT(
            new double[] {0.1, 3.03, 3.97, 11.2, 19.7, 143, 5.10, 9.6, 32},
            new double[] {1, 0.199, 0.188, 0.171, 0.166, 0.156, 0.300, 0.228, 0.181}),
    /** Very few different byte values: padding, images of empty disks, sparse matrices. */
    SPARSE(
            new double[] {0.1, 0.70, 0.90, 3.20, 5.00, 80, 1.50, 4.5, 9},
            new double[] {1, 0.040, 0.038, 0.034, 0.033, 0.031, 0.060, 0.05, 0.04});

    /** Nanoseconds of one agent thread per raw byte, of each rung. */
    final double[] compress;

    /** Wire bytes per raw byte. */
    final double[] ratio;

    ContentClass(double[] compress, double[] ratio) {
        this.compress = compress;
        this.ratio = ratio;
    }
}
