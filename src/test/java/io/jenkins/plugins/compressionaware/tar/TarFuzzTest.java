package io.jenkins.plugins.compressionaware.tar;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Tars with random damage: they land or are refused, with no other exception and nothing outside the folder. */
@Timeout(120)
@ParameterizedClass
@ValueSource(ints = {1, 2, 16})
class TarFuzzTest {
    /** Files at a time. */
    @Parameter
    private int writers;

    private static final int ROUNDS = 1_000;
    private static final Set<String> NAMES = Set.of("a", "d/b", "l", "e", "n".repeat(120));

    @TempDir
    Path tmp;

    @Test
    void damagedTars() throws Exception {
        byte[] intact = new TarBytes()
                .file("a", "x".repeat(700))
                .file("d/b", "y")
                .link("l", "d/b")
                .folder("e")
                .file("n".repeat(120), "z")
                .end()
                .bytes();
        Random random = new Random(3);
        Unpacking unpacking = new Unpacking(tmp, writers);
        int landed = 0;
        for (int round = 0; round < ROUNDS; round++) {
            byte[] tar = damage(intact, random);
            unpacking.compareReaders(tar);
            try {
                unpacking.unpack(new ByteArrayInputStream(tar), NAMES);
                landed++;
            } catch (IOException e) {
                assertTrue(e.getMessage() != null && !e.getMessage().isBlank(), "round " + round);
            } catch (RuntimeException | Error e) {
                fail("round " + round, e);
            }
            unpacking.assertNeighbourUntouched();
            assertOnlyWhatWasAskedFor(unpacking.folder);
            empty(unpacking.folder);
        }
        assertTrue(landed > 0 && landed < ROUNDS, landed + " landed");
    }

    /** Changes a few bytes, mostly within headers; repairs the checksums in half of the rounds, or all damage would end there. */
    private static byte[] damage(byte[] intact, Random random) {
        byte[] tar = intact.clone();
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
            int record = random.nextInt(tar.length / 512) * 512;
            int field = new int[] {0, 100, 124, 124, 136, 156, 157, 257, 345, 500}[random.nextInt(10)];
            int position = record + Math.min(511, field + random.nextInt(12));
            tar[position] = switch (random.nextInt(4)) {
                case 0 -> (byte) random.nextInt(256);
                case 1 -> (byte) ('0' + random.nextInt(10));
                case 2 -> (byte) "xgLKSDMV12345 -/.".charAt(random.nextInt(17));
                default -> (byte) (random.nextBoolean() ? 0 : 0xff);
            };
            if (random.nextBoolean()) {
                byte[] header = TarBytes.withChecksum(Arrays.copyOfRange(tar, record, record + 512));
                System.arraycopy(header, 0, tar, record, 512);
            }
        }
        return random.nextInt(10) == 0 ? Arrays.copyOf(tar, random.nextInt(tar.length)) : tar;
    }

    private static void empty(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                if (!path.equals(folder)) {
                    Files.delete(path);
                }
            }
        }
    }

    private static void assertOnlyWhatWasAskedFor(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : (Iterable<Path>) all.filter(p -> !p.equals(folder))::iterator) {
                String name = folder.relativize(path).toString();
                assertTrue(NAMES.contains(name) || name.equals("d"), name);
            }
        }
    }
}
