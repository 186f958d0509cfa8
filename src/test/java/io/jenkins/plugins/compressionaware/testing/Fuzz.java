package io.jenkins.plugins.compressionaware.testing;

import java.lang.reflect.Constructor;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Feeds arbitrary input to a reader of untrusted data. As a test, it mutates seeds at random; CONTRIBUTING.md describes
 * longer, coverage-guided runs with Jazzer.
 */
@Timeout(60)
public abstract class Fuzz {
    private static final int ROUNDS = 1_000;

    private static Fuzz fuzzed;

    @TempDir
    protected Path tmp;

    /** Called once. */
    protected void prepare() throws Exception {}

    /** Returns inputs from which others are derived. */
    protected abstract List<byte[]> seeds() throws Exception;

    /** Fails unless the reader accepts the input, or refuses it as documented without other effects. */
    protected abstract void read(byte[] input) throws Exception;

    @Test
    void readerSurvivesMutatedSeeds() throws Exception {
        prepare();
        List<byte[]> seeds = seeds();
        for (byte[] seed : seeds) {
            read(seed);
        }
        Random random = new Random(1);
        for (int round = 0; round < ROUNDS; round++) {
            byte[] input = noise(seeds.get(round % seeds.size()), random);
            try {
                read(input);
            } catch (Exception | Error e) {
                throw new AssertionError("round " + round + " with " + Arrays.toString(input), e);
            }
        }
    }

    private static byte[] noise(byte[] seed, Random random) {
        byte[] input = random.nextInt(10) > 0 ? seed.clone() : Arrays.copyOf(seed, random.nextInt(seed.length));
        for (int i = random.nextInt(4); i >= 0 && input.length > 0; i--) {
            int at = random.nextInt(input.length);
            switch (random.nextInt(4)) {
                case 0 -> input[at] = (byte) random.nextInt();
                case 1 -> input[at] ^= (byte) (1 << random.nextInt(8));
                case 2 -> input[at] = "\0\1\177\200\37701/.".getBytes(StandardCharsets.ISO_8859_1)[random.nextInt(9)];
                default -> {
                    int from = random.nextInt(input.length);
                    int length = Math.min(1 + random.nextInt(40), input.length - Math.max(at, from));
                    System.arraycopy(input, from, input, at, length);
                }
            }
        }
        return input;
    }

    /** Returns an input that begins with a flag. */
    protected static byte[] flagged(int flag, byte[] bytes) {
        return ByteBuffer.allocate(1 + bytes.length).put((byte) flag).put(bytes).array();
    }

    /** Called by Jazzer before it reads the corpus. */
    public static void fuzzerInitialize() throws Exception {
        String parent = Fuzz.class.getPackageName().replaceFirst("[^.]*$", "");
        Constructor<?> created =
                Class.forName(parent + System.getProperty("fuzz")).getDeclaredConstructor();
        created.setAccessible(true);
        fuzzed = (Fuzz) created.newInstance();
        fuzzed.tmp = Files.createTempDirectory("fuzz");
        fuzzed.prepare();
        List<byte[]> seeds = fuzzed.seeds();
        for (int i = 0; i < seeds.size(); i++) {
            Files.write(Path.of(System.getProperty("corpus"), "seed" + i), seeds.get(i));
        }
    }

    /** Called by Jazzer. */
    public static void fuzzerTestOneInput(byte[] input) throws Exception {
        fuzzed.read(input);
    }
}
