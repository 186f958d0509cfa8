package io.jenkins.plugins.compressionaware.engine.tar;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Unpacks into a workspace on a disk that is full, or that refuses permissions, times or links. */
@ParameterizedClass
@ValueSource(ints = {1, 4})
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "it may have no links")
@Timeout(60)
class RefusedFilesTest {
    /** Number of files in parallel. */
    @Parameter
    private int writers;

    @TempDir
    private Path folder;

    private Path file;

    @BeforeEach
    void prepare() {
        file = folder.resolve("f");
    }

    private List<ExtractionWarning> unpack(FileCreator disk, TarBytes tar) throws IOException {
        TarUnpacker unpacker = unpacker(disk);
        try {
            unpacker.unpack(new ByteArrayInputStream(tar.end().bytes()));
        } finally {
            unpacker.close(() -> {});
        }
        return unpacker.warnings();
    }

    private TarUnpacker unpacker(FileCreator disk) throws IOException {
        return new TarUnpacker(
                new Workspace(folder, disk, true), null, UnpackHarness.files(writers), EntryDecoder.NONE);
    }

    private void assertContentIs(String content) throws IOException {
        assertEquals(content, Files.readString(file));
        assertEquals(List.of("f"), FileTrees.list(folder));
    }

    /** Some network disks refuse permissions or times. */
    @ParameterizedTest
    @CsvSource({"true, false", "false, true", "true, true"})
    void attributesThatCannotBeSetAreOneWarning(boolean permissions, boolean time) throws Exception {
        FileCreator refusing = new FileCreator(folder) {
            @Override
            void permit(Path path, int mode, BasicFileAttributes now, boolean isNew) throws IOException {
                if (permissions) {
                    throw new FileSystemException(path.toString(), null, "Operation not permitted");
                }
                super.permit(path, mode, now, isNew);
            }

            @Override
            void setLastModified(Path path, FileTime modified) throws IOException {
                if (time) {
                    throw new FileSystemException(path.toString(), null, "Operation not permitted");
                }
                super.setLastModified(path, modified);
            }
        };
        Files.writeString(folder.resolve("old"), "old");
        TarBytes tar = new TarBytes();
        for (String name : List.of("new", "old")) {
            TarArchiveEntry entry = new TarArchiveEntry(name);
            entry.setMode(0755);
            tar.entry(entry, "content");
        }
        List<ExtractionWarning> warnings = unpack(refusing, tar);
        // several writers finish their files in any order
        String first = writers == 1 ? "new" : warnings.get(0).name();
        assertEquals(
                List.of(new ExtractionWarning(
                        ExtractionWarning.Type.ATTRIBUTES_NOT_SET, 2, first, "Operation not permitted")),
                warnings);
        assertEquals("content", Files.readString(folder.resolve("new")));
        assertEquals("content", Files.readString(folder.resolve("old")));
    }

    /** Refuses a number of links, and files in their place if {@code full}. */
    private FileCreator withoutLinks(int times, boolean full) {
        AtomicInteger left = new AtomicInteger(times);
        return new FileCreator(folder) {
            @Override
            void link(Path path, Path target) throws IOException {
                // on any disk, an existing name is found first
                if (Files.exists(path, LinkOption.NOFOLLOW_LINKS) || left.getAndDecrement() <= 0) {
                    super.link(path, target);
                } else {
                    throw new FileSystemException(path.toString(), null, "No space left on device");
                }
            }

            @Override
            OutputStream create(Path path, int mode, boolean shared) throws IOException {
                if (full && path.toString().endsWith(".partial")) {
                    throw new FileSystemException(path.toString(), null, "No space left on device");
                }
                return super.create(path, mode, shared);
            }
        };
    }

    @Test
    void linkFailsOnFullDisk() throws Exception {
        Files.writeString(file, "old");
        for (String name : List.of("f", "l")) {
            TarBytes tar = new TarBytes().link("a", "b").link("d/" + name, "x").link(name, "y");
            FileCreator full = withoutLinks(Integer.MAX_VALUE, true);
            assertFails(
                    "Cannot write d/" + name + ": No space left on device. "
                            + "Missing or incomplete symbolic links from a on. Entries written: 0",
                    () -> unpack(full, tar));
        }
        assertEquals("old", Files.readString(file));
        assertEquals(List.of("d", "f"), FileTrees.list(folder));
        FileTrees.delete(folder.resolve("d"));
        FileCreator full = withoutLinks(Integer.MAX_VALUE, true);
        assertThrows(IOException.class, () -> unpack(full, new TarBytes().link("f", "x")));
        assertContentIs("old");
    }

    @Test
    void linkIsAWarningOnDiskWithoutLinks() throws Exception {
        Files.writeString(file, "old");
        assertEquals(
                List.of(new ExtractionWarning(
                        ExtractionWarning.Type.SYMLINK_NOT_CREATED, 2, "f", "No space left on device")),
                unpack(withoutLinks(4, false), new TarBytes().link("f", "x").link("g", "x")));
        assertContentIs("old");
        assertEquals(List.of(), unpack(withoutLinks(1, false), new TarBytes().link("f", "x")), "a passing error");
        assertEquals(Path.of("x"), Files.readSymbolicLink(file));
        assertEquals(List.of("f"), FileTrees.list(folder));
    }

    /** A file of another folder, which arrived earlier, is still being written when one fails. */
    @Test
    void messageNamesFirstMissingFile() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        FileCreator disk = new FileCreator(folder) {
            @Override
            OutputStream create(Path path, int mode, boolean shared) throws IOException {
                if (path.endsWith("x/1") && shared) {
                    try {
                        end.await();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                } else if (path.endsWith("y/2")) {
                    throw new FileSystemException(path.toString(), null, "Too many open files");
                }
                return super.create(path, mode, shared);
            }
        };
        TarBytes tar = new TarBytes()
                .link("l", "z")
                .file("x/1", "x")
                .file("y/2", "y")
                .file("z/3", "z")
                .end();
        TarUnpacker unpacker = unpacker(disk);
        String first = writers == 1 ? "y/2" : "x/1";
        try {
            String message = assertThrows(
                            IOException.class, () -> unpacker.unpack(new ByteArrayInputStream(tar.bytes())))
                    .getMessage();
            String expected = "Cannot write y/2: Too many open files. Missing or incomplete from " + first
                    + " on, symbolic links from l on. Entries written: ";
            assertTrue(message.startsWith(expected), message);
        } finally {
            end.countDown();
            unpacker.close(() -> {});
        }
    }
}
