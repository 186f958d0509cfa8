package io.jenkins.plugins.compressionaware.engine.adaptive;

import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Guesses the {@link ContentClass} of a block from 16 bytes at each of 256 positions, as btrfs does. Takes about 10 microseconds for any
 * block length. Stateless.
 */
@Restricted(NoExternalUse.class)
public final class ContentClassifier {
    private static final int SAMPLE_COUNT = 256;
    private static final int SAMPLE_LENGTH = 16;

    /** Bits per byte. A sample of 4 KiB of noise has 7.95, deflate data at least 7.8, base64 6.0, class files 5 to 6, text 4 to 5. */
    private static final double NOISE = 7.6;

    private static final double DENSE = 6.4;
    private static final double SPARSE = 2.5;

    /** Maximum share of bytes in text that are neither printable ASCII nor white space. Other alphabets in UTF-8 count as binary. */
    private static final double MAX_NON_TEXT_SHARE = 0.05;

    /** Histograms of fewer samples are unreliable: even noise has at most 7 bits in 128 samples. */
    private static final int MIN_RELIABLE_SAMPLES = 1024;

    private ContentClassifier() {}

    /** @param length number of bytes of the block, at the start of the array */
    public static ContentClass classify(byte[] block, int length) {
        if (length == 0) {
            return ContentClass.SPARSE;
        }
        int[] histogram = new int[256];
        int samples = sample(block, length, histogram);
        double entropy = entropy(histogram, samples);
        // n samples have at most log2(n) bits
        double scale = samples < MIN_RELIABLE_SAMPLES ? 8 / Math.min(8, Math.log(samples + 1) / Math.log(2)) : 1;
        return classify(entropy * scale, nonTextBytes(histogram) / (double) samples);
    }

    private static ContentClass classify(double entropy, double nonText) {
        if (entropy >= NOISE) {
            return ContentClass.NOISE;
        }
        if (entropy >= DENSE) {
            return ContentClass.DENSE;
        }
        if (entropy < SPARSE) {
            return ContentClass.SPARSE;
        }
        return nonText <= MAX_NON_TEXT_SHARE ? ContentClass.TEXT : ContentClass.BINARY;
    }

    private static int sample(byte[] block, int length, int[] histogram) {
        int stride = Math.max(SAMPLE_LENGTH, length / SAMPLE_COUNT);
        int samples = 0;
        for (int at = 0; at < length; at += stride) {
            int end = Math.min(length, at + SAMPLE_LENGTH);
            for (int i = at; i < end; i++) {
                histogram[block[i] & 0xff]++;
            }
            samples += end - at;
        }
        return samples;
    }

    /** Returns Shannon's entropy, 0 to 8 bits per byte. */
    private static double entropy(int[] histogram, int samples) {
        double sum = 0;
        for (int count : histogram) {
            if (count > 0) {
                sum -= count * Math.log((double) count / samples);
            }
        }
        return sum / samples / Math.log(2);
    }

    private static int nonTextBytes(int[] histogram) {
        int nonText = 0;
        for (int i = 0; i < 256; i++) {
            boolean printable = i >= ' ' && i < 0x7f || i == '\n' || i == '\r' || i == '\t';
            nonText += printable ? 0 : histogram[i];
        }
        return nonText;
    }
}
