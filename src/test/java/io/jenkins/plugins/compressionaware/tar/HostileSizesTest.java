package io.jenkins.plugins.compressionaware.tar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sizes that are wrong, and headers that would fill the memory. */
@Timeout(60)
@ParameterizedClass
@ValueSource(ints = {1, 2, 16})
class HostileSizesTest {
    /** Files at a time. */
    @Parameter
    private int writers;

    private static final String TOO_MUCH = "More than 65536 bytes around one tar entry";

    @TempDir
    Path tmp;

    private Unpacking unpacking;

    @BeforeEach
    void prepare() throws Exception {
        unpacking = new Unpacking(tmp, writers);
    }

    /** Not octal, negative in base 256, the largest long in base 256, more than a long, blanks within. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "-0000000001\0",
                "99999999999\0",
                "zzzzzzzzzzz\0",
                "000 0000001\0",
                "\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff",
                "\u00ff\0\0\0\0\0\0\0\0\0\0\0",
                "\u0080\0\0\0\u007f\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff",
                "\u0080\0\0\0\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff",
                "\u0080\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff"
            })
    void sizeThatCannotBe(String sizeField) throws Exception {
        for (char kind : new char[] {'0', '2', '5'}) {
            unpacking.refuse(
                    new TarBytes()
                            .header(kind, "a", sizeField)
                            .raw(new byte[1 << 20])
                            .end(),
                    "",
                    "a",
                    "b");
            Files.deleteIfExists(unpacking.folder.resolve("a"));
        }
    }

    @Test
    void moreAnnouncedThanSent() throws Exception {
        unpacking.refuse(
                new TarBytes().header('0', "a", 10_000).raw(new byte[512]), "Cannot write a: Truncated TAR", "a");
    }

    @Test
    void lessAnnouncedThanSent() throws Exception {
        unpacking.refuse(
                new TarBytes()
                        .header('0', "a", 5)
                        .raw("x".repeat(2_048).getBytes())
                        .end(),
                "",
                "a");
    }

    @Test
    void linkWithContent() throws Exception {
        unpacking.refuse(
                new TarBytes().header('2', "a", 1L << 32).raw(new byte[1 << 20]).end(), "a", "a");
    }

    @Test
    void folderWithContent() throws Exception {
        unpacking.refuse(
                new TarBytes().header('5', "a", 1L << 32).raw(new byte[1 << 20]).end(), TOO_MUCH, "a", "b");
    }

    /** GNU long name, GNU long link. */
    @ParameterizedTest
    @ValueSource(chars = {'L', 'K'})
    void hugeHeader(char kind) throws Exception {
        refuseEndless(new TarBytes().header(kind, "h", 1L << 30), (byte) 'n');
    }

    @ParameterizedTest
    @ValueSource(chars = {'L', 'K'})
    void headersWithoutEnd(char kind) throws Exception {
        byte[] header = new TarBytes().extended(kind, "a").bytes();
        TarBytes tar = new TarBytes();
        for (int i = 0; i < 1_000; i++) {
            tar.raw(header);
        }
        unpacking.refuse(tar.file("a", "x").end(), TOO_MUCH, "a");
    }

    /** Each within the limit for one entry. */
    @Test
    void manyLargeHeaders() throws Exception {
        String[] names = IntStream.range(0, 10).mapToObj(i -> "file" + i).toArray(String[]::new);
        TarBytes tar = new TarBytes();
        for (String name : names) {
            tar.extended('K', "k".repeat(60_000)).file(name, "x");
        }
        unpacking.refuse(tar.end(), "Too many bytes around the tar entries", names);
    }

    /** As long as they can be on Linux, and all of them links. */
    @Test
    void namesAndTargetsOfFullLengthLand() throws Exception {
        String[] names = IntStream.range(0, 20)
                .mapToObj(i -> "detour/../".repeat(405) + "link" + i)
                .toArray(String[]::new);
        TarBytes tar = new TarBytes();
        for (String name : names) {
            tar.link(name, "t".repeat(4_095));
        }
        assertEquals(20, unpacking.unpack(tar.end(), names).entries());
    }

    @Test
    void paddingWithoutEnd() throws Exception {
        refuseEndless(new TarBytes().file("a", "x").end(), (byte) 0);
    }

    @Test
    void garbageAfterTheEndIsPassedOver() throws Exception {
        byte[] garbage = new byte[20_000];
        Arrays.fill(garbage, (byte) 'g');
        assertEquals(
                1,
                unpacking
                        .unpack(new TarBytes().file("a", "x").end().raw(garbage), "a")
                        .entries());
    }

    @Test
    void garbageInPlaceOfATar() throws Exception {
        unpacking.refuse(new TarBytes().raw("this is not a tar ".repeat(1_000).getBytes()), "", "a");
    }

    @Test
    void wrongHeaderChecksum() throws Exception {
        byte[] tar = new TarBytes().file("a", "x").end().bytes();
        tar[0] = 'b';
        unpacking.refuse(new TarBytes().raw(tar), "", "a", "b");
    }

    /** Memory and time would end before the stream does. */
    private void refuseEndless(TarBytes start, byte rest) throws IOException {
        InputStream endless = new InputStream() {
            private final InputStream first = new ByteArrayInputStream(start.bytes());
            private long delivered;

            @Override
            public int read() throws IOException {
                int next = first.read();
                assertTrue(++delivered < 1 << 20, "reads on and on");
                return next >= 0 ? next : rest;
            }
        };
        IOException refused = assertThrows(IOException.class, () -> unpacking.unpack(endless, Set.of("a")));
        assertTrue(refused.getMessage().contains(TOO_MUCH), refused.getMessage());
        unpacking.assertNeighbourUntouched();
    }
}
