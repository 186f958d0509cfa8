package io.jenkins.plugins.compressionaware.engine.adaptive.simulation;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.adaptive.ContentClass;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import java.util.List;
import java.util.Random;

/**
 * Simulated blocks of one nature: their content class, and the real figures of each codec. The figures were measured on one thread with 256 KiB blocks; seeded
 * random factors then make them differ from the selector's own table by up to two times and more. Indices are those of {@link #CHOICES}.
 */
record SimData(ContentClass contentClass, String name, double[] compress, double[] ratio, double[] decode) {
    /** The choices of the selector, and the gzip level of Jenkins core. */
    static final List<CodecLevel> CHOICES = List.of(
            CodecLevel.UNCOMPRESSED,
            CodecLevel.zstd(1),
            CodecLevel.zstd(3),
            CodecLevel.zstd(6),
            CodecLevel.zstd(9),
            CodecLevel.zstd(15),
            new CodecLevel(Codec.GZIP, 6));

    /** Measured for text, class files, jars, random bytes and build logs; the last three constants are derived from them. */
    enum Nature {
        TEXT(
                ContentClass.TEXT,
                "Main.java",
                new double[] {0.10, 2.41, 3.42, 9.62, 16.95, 123, 27.8},
                new double[] {1, 0.2527, 0.2393, 0.2181, 0.2117, 0.1989, 0.23},
                new double[] {0.04, 0.72, 0.81, 0.74, 0.79, 0.87, 2.9}),
        CLASSES(
                ContentClass.BINARY,
                "lib.so",
                new double[] {0.05, 2.39, 3.9, 9.04, 14.08, 130, 30},
                new double[] {1, 0.3609, 0.3386, 0.3198, 0.3093, 0.2983, 0.34},
                new double[] {0.03, 0.77, 0.91, 0.75, 0.85, 1.07, 3.5}),
        JARS(
                ContentClass.NOISE,
                "app.jar",
                new double[] {0.06, 0.64, 1.40, 4.49, 5.40, 35.1, 40},
                new double[] {1, 0.9543, 0.9499, 0.9482, 0.9475, 0.9466, 0.95},
                new double[] {0.03, 0.12, 0.12, 0.11, 0.13, 0.22, 4.6}),
        RANDOM(
                ContentClass.NOISE,
                "key.bin",
                new double[] {0.05, 0.14, 0.16, 0.35, 0.34, 28.9, 34},
                new double[] {1, 1.0001, 1.0001, 1.0001, 1.0001, 1.0001, 1.0003},
                new double[] {0.02, 0.3, 0.3, 0.3, 0.3, 0.34, 0.13}),
        LOG(
                ContentClass.TEXT,
                "build.log",
                new double[] {0.06, 0.82, 1.01, 4.01, 6.21, 104, 9},
                new double[] {1, 0.0731, 0.0713, 0.0636, 0.0624, 0.0589, 0.075},
                new double[] {0.02, 0.32, 0.3, 0.28, 0.28, 0.37, 1.8}),
        /** A jar with uncompressed entries: its name suggests compressed content. */
        STORED_JAR(ContentClass.BINARY, "app.jar", CLASSES.compress, CLASSES.ratio, CLASSES.decode),
        /** Noise that repeats itself. */
        REPEATED_NOISE(
                ContentClass.NOISE,
                "image.raw",
                new double[] {0.05, 0.7, 0.9, 3.5, 5, 60, 25},
                new double[] {1, 0.42, 0.41, 0.40, 0.40, 0.39, 0.46},
                new double[] {0.02, 0.2, 0.2, 0.2, 0.2, 0.2, 2}),
        /** Base64 of noise: its content class is text, but nothing repeats. */
        BASE64(
                ContentClass.TEXT,
                "cert.pem",
                new double[] {0.05, 1.1, 1.3, 3.0, 4.0, 60, 30},
                new double[] {1, 0.758, 0.757, 0.757, 0.757, 0.757, 0.76},
                new double[] {0.02, 0.9, 0.9, 0.9, 0.9, 0.9, 4});

        private final ContentClass contentClass;
        private final String fileName;
        private final double[] compress;
        private final double[] ratio;
        private final double[] decode;

        Nature(ContentClass contentClass, String fileName, double[] compress, double[] ratio, double[] decode) {
            this.contentClass = contentClass;
            this.fileName = fileName;
            this.compress = compress;
            this.ratio = ratio;
            this.decode = decode;
        }

        /** Returns a random specimen of this nature. */
        SimData specimen(Random random) {
            double speed = Math.exp(0.3 * random.nextGaussian());
            double density = Math.exp(0.25 * random.nextGaussian());
            int n = CHOICES.size();
            SimData data = new SimData(contentClass, fileName, new double[n], new double[n], new double[n]);
            for (int i = 0; i < n; i++) {
                data.compress[i] = compress[i] * speed * Math.exp(0.12 * random.nextGaussian());
                data.decode[i] = decode[i] * Math.exp(0.2 * random.nextGaussian());
                data.ratio[i] = ratio[i] > 0.999
                        ? ratio[i]
                        : Math.min(1, Math.pow(ratio[i], density) * Math.exp(0.02 * random.nextGaussian()));
            }
            data.ratio[0] = 1;
            return data;
        }
    }
}
