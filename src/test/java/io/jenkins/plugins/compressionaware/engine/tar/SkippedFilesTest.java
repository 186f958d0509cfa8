package io.jenkins.plugins.compressionaware.engine.tar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** A stream into a workspace is lost at any byte. The same stream from its beginning then completes the workspace, and complete files are not written again. */
@ParameterizedClass
@ValueSource(ints = {1, 4})
class SkippedFilesTest extends WorkspaceTestBase {
    private record Entry(String name, String content, String target) {
        boolean isFile() {
            return content != null;
        }
    }

    private static final List<Entry> ENTRIES = List.of(
            new Entry("a", "first", null),
            new Entry("folder", null, null),
            new Entry("folder/b", "x".repeat(1200), null),
            new Entry("twice", "other", null),
            new Entry("replaced", "by a link", null),
            new Entry("link", null, "a"),
            new Entry("empty", "", null),
            new Entry("twice", "final", null),
            new Entry("replaced", null, "folder"),
            new Entry("last/c", "last", null));

    /** Records the files that it opens. */
    private static class Disk extends FileCreator {
        final List<String> opened = Collections.synchronizedList(new ArrayList<>());
        private final Path root;

        Disk(Path folder) throws IOException {
            super(folder);
            root = folder.toRealPath();
        }

        @Override
        OutputStream create(Path path, int mode, boolean shared) throws IOException {
            OutputStream out = super.create(path, mode, shared);
            opened.add(root.relativize(path).toString());
            return out;
        }

        @Override
        OutputStream overwrite(Path path) throws IOException {
            OutputStream out = super.overwrite(path);
            opened.add(root.relativize(path).toString());
            return out;
        }
    }

    /** @param ends receives the position in the tar at which the content of each entry ends */
    private static byte[] bytes(List<Integer> ends) {
        TarBytes tar = tar();
        for (Entry entry : ENTRIES) {
            int start = tar.bytes().length;
            if (entry.isFile()) {
                tar.file(entry.name, entry.content);
            } else if (entry.target != null) {
                tar.link(entry.name, entry.target);
            } else {
                tar.folder(entry.name);
            }
            ends.add(start + 512 + (entry.isFile() ? entry.content.length() : 0));
        }
        return tar.end().bytes();
    }

    private static InputStream lostAfter(byte[] tar, int length, IOException failure) {
        InputStream lost = new InputStream() {
            @Override
            public int read() throws IOException {
                throw failure;
            }
        };
        return new SequenceInputStream(new ByteArrayInputStream(Arrays.copyOf(tar, length)), lost);
    }

    private TarUnpacker unpacker(Path folder, FileCreator disk) throws IOException {
        return new TarUnpacker(
                new Workspace(folder, disk, true), null, UnpackHarness.files(writers), EntryDecoder.NONE);
    }

    /** Returns the number of complete entries after a lost connection. */
    private int lose(TarUnpacker unpacker, byte[] tar, int cut) {
        try (unpacker) {
            assertThrows(
                    IOException.class, () -> unpacker.unpack(lostAfter(tar, cut, new IOException("connection lost"))));
        }
        return unpacker.completeEntries();
    }

    /** Unpacks all, and asserts the counts. Returns the names of the files that were opened. */
    private List<String> resume(Path folder, byte[] tar, int complete) throws Exception {
        Disk disk = new Disk(folder);
        TarUnpacker unpacker = unpacker(folder, disk);
        try (unpacker) {
            unpacker.skipFiles(complete);
            unpacker.unpack(new ByteArrayInputStream(tar));
        }
        assertEquals(ENTRIES.size(), unpacker.entries());
        assertEquals(
                ENTRIES.stream()
                        .filter(Entry::isFile)
                        .mapToInt(file -> file.content.length())
                        .sum(),
                unpacker.contentBytes());
        Collections.sort(disk.opened);
        return disk.opened;
    }

    private static List<String> files(int from) {
        return ENTRIES.stream()
                .skip(from)
                .filter(Entry::isFile)
                .map(Entry::name)
                .sorted()
                .toList();
    }

    @Test
    void completeFilesAreNotWrittenAgain() throws Exception {
        List<Integer> ends = new ArrayList<>();
        byte[] tar = bytes(ends);
        Path expected = Files.createDirectory(tmp.resolve("expected"));
        assertEquals(files(0), resume(expected, tar, 0));
        for (int cut = 0; cut < tar.length - 1024; cut += 50) {
            int length = cut;
            Path folder = Files.createDirectory(tmp.resolve("cut" + cut));
            int complete = lose(unpacker(folder, new Disk(folder)), tar, cut);
            assertEquals(ends.stream().filter(end -> end <= length).count(), complete, "cut at " + cut);
            assertEquals(files(complete), resume(folder, tar, complete), "cut at " + cut);
            assertEquals(FileTrees.describe(expected), FileTrees.describe(folder), "cut at " + cut);
        }
    }

    @Test
    void secondCutLosesNothing() throws Exception {
        List<Integer> ends = new ArrayList<>();
        byte[] tar = bytes(ends);
        Path folder = Files.createDirectory(tmp.resolve("w"));
        assertEquals(4, lose(unpacker(folder, new Disk(folder)), tar, ends.get(3)));
        for (int cut = 0; cut <= ends.get(3); cut += 100) {
            Disk disk = new Disk(folder);
            TarUnpacker again = unpacker(folder, disk);
            again.skipFiles(4);
            assertEquals(4, lose(again, tar, cut), "cut at " + cut);
            assertEquals(List.of(), disk.opened);
        }
        assertEquals(files(4), resume(folder, tar, 4));
    }

    @Test
    void warningsAreFoundAgain() throws Exception {
        List<Integer> ends = new ArrayList<>();
        byte[] tar = bytes(ends);
        Path folder = Files.createDirectory(tmp.resolve("w"));
        FileCreator timeless = new FileCreator(folder) {
            @Override
            void setLastModified(Path path, FileTime modified) throws IOException {
                throw new IOException("no times");
            }
        };
        assertEquals(0, lose(unpacker(folder, timeless), tar, ends.get(3)));
    }

    /** The connection is lost while the disk hangs: later files are complete, but count only after the file before them. */
    @Test
    void filesBehindIncompleteFileAreWrittenAgain() throws Exception {
        List<Integer> ends = new ArrayList<>();
        byte[] tar = bytes(ends);
        Path folder = Files.createDirectory(tmp.resolve("w"));
        CountDownLatch others = new CountDownLatch(2);
        CountDownLatch hung = new CountDownLatch(1);
        Disk disk = new Disk(folder) {
            @Override
            void setLastModified(Path path, FileTime modified) throws IOException {
                super.setLastModified(path, modified);
                if (!path.endsWith("b")) {
                    others.countDown();
                } else if (writers > 1) {
                    try {
                        hung.await();
                    } catch (InterruptedException e) {
                        throw new IOException(e);
                    }
                }
            }
        };
        TarUnpacker unpacker = unpacker(folder, disk);
        InputStream lost =
                new SequenceInputStream(new ByteArrayInputStream(Arrays.copyOf(tar, ends.get(4))), new InputStream() {
                    @Override
                    public int read() throws IOException {
                        try {
                            others.await(); // "a", and one behind the file that hangs
                        } catch (InterruptedException e) {
                            throw new IOException(e);
                        }
                        throw new InterruptedIOException("interrupted");
                    }
                });
        try (unpacker) {
            assertThrows(InterruptedIOException.class, () -> unpacker.unpack(lost));
        }
        int complete = unpacker.completeEntries();
        hung.countDown();
        assertEquals(writers == 1 ? 5 : 2, complete);
        assertEquals(files(complete), resume(folder, tar, complete));
    }
}
