package io.jenkins.plugins.compressionaware.engine.tar;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Fuzz;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Unpacks fuzzed tars, which a private folder and a workspace extract alike or refuse with an {@link IOException}, and which create no file elsewhere. */
class TarFuzzTest extends Fuzz {
    /** Flag in the first byte of an input: checksums are corrected. */
    private static final int FIX_CHECKSUMS = 1;

    private static final Set<String> NAMES = Set.of("a", "d/b", "l", "e", "n".repeat(120));

    /** The other bits of the first byte are the number of files in parallel. */
    @Override
    protected List<byte[]> seeds() {
        TarBytes honest = new TarBytes()
                .file("a", "x".repeat(700))
                .file("d/b", "y")
                .link("l", "d/b")
                .folder("e")
                .file("n".repeat(120), "z");
        TarBytes throughALink =
                new TarBytes().link("l", "../neighbour").file("l/x", "z").file("a", "b");
        TarBytes strange = new TarBytes()
                .file("a", "x")
                .special((byte) '1', "l", "a")
                .link("d/b", "l".repeat(200))
                .header('0', "e", "\200\0\0\0\0\0\0\0\0\0\0\0");
        TarBytes goesOn = new TarBytes().file("a", "x").raw(new byte[512]).extended('x', TarBytes.pax("path", "l"));
        return Stream.of(honest, throughALink, strange, goesOn)
                .flatMap(tar -> Stream.of(FIX_CHECKSUMS, FIX_CHECKSUMS | 2, FIX_CHECKSUMS | 16 << 1)
                        .map(flags -> flagged(flags, tar.end().bytes())))
                .toList();
    }

    @Override
    protected void read(byte[] input) throws Exception {
        if (input.length == 0) {
            return;
        }
        byte[] tar = Arrays.copyOfRange(input, 1, input.length);
        if ((input[0] & FIX_CHECKSUMS) != 0) {
            TarBytes.fixChecksums(tar);
        }
        Path home = Files.createDirectory(tmp.resolve("home"));
        try {
            UnpackHarness unpacking = new UnpackHarness(home, Math.max(1, input[0] >> 1 & 31));
            unpacking.compareWithWorkspace(tar);
            try {
                unpacking.unpack(new ByteArrayInputStream(tar), NAMES);
            } catch (IOException e) {
                assertFalse(e.getMessage() == null || e.getMessage().isBlank());
            }
            unpacking.assertNeighbourUntouched();
            assertOnlyRequestedNames(unpacking.folder);
        } finally {
            FileTrees.delete(home);
        }
    }

    private static void assertOnlyRequestedNames(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : (Iterable<Path>) all.filter(p -> !p.equals(folder))::iterator) {
                String name = folder.relativize(path).toString();
                assertTrue(NAMES.contains(name) || name.equals("d"), name);
            }
        }
    }
}
