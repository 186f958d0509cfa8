package io.jenkins.plugins.compressionaware.engine.packed;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Crc32c;
import io.jenkins.plugins.compressionaware.engine.framefile.LocalFile;
import io.jenkins.plugins.compressionaware.engine.tar.TarEntry;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Fuzz;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Timeout;

/** No packed archive makes its reader fail with anything but an exception for input, or show an entry twice or outside the archive. */
@Timeout(60)
class PackedFuzzTest extends Fuzz {
    private static final int ROOT = 0;
    private static final int ENTRIES = 1;
    private static final int FRAMES = 2;
    private static final int INDEX = 3;
    private static final int FILE = 4;

    private final List<byte[]> pages = new ArrayList<>();
    private byte[] root;
    private Path file;

    @Override
    protected List<byte[]> seeds() throws Exception {
        Path tree = tmp.resolve("tree");
        FileTrees.write(tree, "folder/file", "content ".repeat(100));
        FileTrees.write(tree, "folder/other", "content");
        FileTrees.write(tree, "x".repeat(120), "content");
        Files.createSymbolicLink(tree.resolve("link"), Path.of("folder"));
        Files.createDirectory(tree.resolve("empty"));
        Path archive = tmp.resolve("archive");
        Packed.archive(tree, archive);
        Path honest = archive.resolve("packed-artifacts/1.tar.zst");
        file = archive.resolve("packed-artifacts/2.tar.zst");
        byte[] index;
        try (LocalFile in = new LocalFile(honest)) {
            root = PackedIndex.root(in);
            index = IndexRebuilder.rebuild(in);
            PackedIndex parsed = new PackedIndex(root, (position, length, number) -> {
                byte[] page = PageCodec.decode(in.read(position, length), number, PackedIndex.MAX_PAGE);
                pages.add(page);
                return page;
            });
            parsed.visit("", entry -> "");
            parsed.place(0);
        }
        return List.of(
                flagged(ROOT, root),
                flagged(ENTRIES, pages.get(0)),
                flagged(FRAMES, pages.get(1)),
                flagged(INDEX, index),
                flagged(FILE, Files.readAllBytes(honest)));
    }

    @Override
    protected void read(byte[] input) throws Exception {
        if (input.length == 0) {
            return;
        }
        byte[] bytes = Arrays.copyOfRange(input, 1, input.length);
        try {
            switch (input[0]) {
                case ROOT -> readIndex(new PackedIndex(bytes, (position, length, number) -> pages.get(0)));
                case ENTRIES -> readIndex(new PackedIndex(root, (position, length, number) -> bytes));
                case FRAMES -> new PackedIndex(root, (position, length, number) -> bytes).place(1);
                case INDEX -> readIndex(PackedIndex.inMemory(withChecksum(bytes)));
                default -> readFile(bytes);
            }
        } catch (IOException e) {
            // refused
        }
    }

    private static byte[] withChecksum(byte[] index) {
        ByteBuffer out = ByteBuffer.wrap(index).order(ByteOrder.LITTLE_ENDIAN);
        int end = index.length - IndexWriter.TRAILER;
        if (end > IndexWriter.PREAMBLE) {
            out.putInt(4, index.length - IndexWriter.PREAMBLE);
            out.putInt(end + 4, (int) Crc32c.of(index, IndexWriter.PREAMBLE, end - IndexWriter.PREAMBLE));
        }
        return index;
    }

    private static void readIndex(PackedIndex index) throws IOException {
        List<TarEntry> entries = new ArrayList<>();
        index.visit("", entry -> {
            check(entry);
            entries.add(entry);
            return entries.size() < 1_000 ? "" : null;
        });
        for (TarEntry entry : entries.subList(0, Math.min(5, entries.size()))) {
            index.visit(entry.name(), found -> null);
            index.place(entry.position());
        }
    }

    private void readFile(byte[] bytes) throws IOException {
        Files.write(file, bytes);
        PackedFile packed = PackedFile.of(file);
        List<TarEntry> entries = new ArrayList<>();
        packed.visit("", entry -> {
            entries.add(entry);
            return entries.size() < 1_000 ? "" : null;
        });
        for (TarEntry entry : entries) {
            try (InputStream in = packed.open(entry)) {
                assertTrue(in.readNBytes(10_000).length <= entry.size());
            }
        }
    }

    private static void check(TarEntry entry) {
        Path name = Path.of(entry.name());
        assertTrue(!name.isAbsolute() && !name.startsWith("..") && name.equals(name.normalize()), entry.name());
    }
}
