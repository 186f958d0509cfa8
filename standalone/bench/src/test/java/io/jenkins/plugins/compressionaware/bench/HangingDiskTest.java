package io.jenkins.plugins.compressionaware.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.demo.TempFolder;
import io.jenkins.plugins.compressionaware.engine.receive.Receiver;
import io.jenkins.plugins.compressionaware.engine.tar.EntryDecoder;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.commons.io.file.PathUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whoever archives onto a server that has died can be stopped, whatever he was doing, and when it lives again nothing of it stays. */
@Timeout(120)
class HangingDiskTest {
    private static final SendOptions OPTIONS = new SendOptions(Codec.NONE, 0);

    /** Seconds: a disk that answers is waited for somewhat shorter. */
    private static final int AT_ONCE = 20;

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @TempDir
    Path tmp;

    private TempFolder program;
    private Path files;
    private SlowFolder disk;
    private Path archive;
    private Map<String, String> names;
    private byte[] stream;
    private List<String> expected = List.of();

    @BeforeEach
    void mount() throws Exception {
        assumeTrue(SlowFolder.missing().isEmpty(), "no FUSE here");
        program = new TempFolder();
        files = Files.createDirectory(tmp.resolve("files"));
        Path shown = Files.createDirectory(tmp.resolve("shown"));
        disk = new SlowFolder(SlowFolder.build(program), files, shown, SlowDisk.NEAR);
        archive = shown.resolve("archive");
    }

    @AfterEach
    void unmount() throws Exception {
        if (disk != null) {
            disk.answer();
            threads.shutdown();
            assertTrue(threads.awaitTermination(1, TimeUnit.MINUTES), "what had hung goes on and ends");
            disk.end();
            disk.close();
            program.close();
            assertEquals(expected, List.of(files.toFile().list()));
        }
    }

    private void workspace(int count, int size) throws Exception {
        Path workspace = Files.createDirectory(tmp.resolve("workspace"));
        for (int i = 0; i < count; i++) {
            Path folder = Files.createDirectories(workspace.resolve("folder" + i / 10));
            Files.write(folder.resolve("file" + i), new byte[size]);
        }
        names = FileTrees.names(workspace);
        stream = CapturedTransfer.stream(workspace, names, OPTIONS);
    }

    private interface Step {
        void run(Receiver receiver, OutputStream lane) throws Exception;
    }

    private void isStopped(Step step) throws Exception {
        FutureTask<Void> transfer = new FutureTask<>(() -> {
            try (Receiver receiver = new Receiver(archive, null, names.keySet(), EntryDecoder.NONE, OPTIONS.blockSize(), threads)) {
                step.run(receiver, receiver.newLane());
            }
            return null;
        });
        Thread build = new Thread(transfer);
        build.start();
        // it hangs where it hangs
        Thread.sleep(500);
        assertTrue(build.isAlive());
        build.interrupt();
        build.join(TimeUnit.SECONDS.toMillis(AT_ONCE));
        assertTrue(!build.isAlive(), "it waits for the disk");
        assertThrows(Exception.class, transfer::get);
    }

    @Test
    void folderOfTheTransfer() throws Exception {
        workspace(1, 10);
        disk.hang();
        isStopped((receiver, lane) -> {});
    }

    @Test
    void firstFile() throws Exception {
        workspace(1, 1 << 21);
        isStopped((receiver, lane) -> {
            disk.hang();
            lane.write(stream);
            receiver.receive(() -> null, OutputStream.nullOutputStream(), () -> {});
        });
    }

    @Test
    void allWriters() throws Exception {
        workspace(3_000, 10);
        isStopped((receiver, lane) -> {
            Thread hanging = new Thread(() -> {
                try {
                    while (PathUtils.countDirectory(files).getFileCounter().get() < 500) {
                        Thread.sleep(1);
                    }
                    disk.hang();
                } catch (IOException | InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            hanging.start();
            lane.write(stream);
            receiver.receive(() -> null, OutputStream.nullOutputStream(), () -> {});
        });
    }

    @Test
    void commit() throws Exception {
        workspace(1, 10);
        isStopped((receiver, lane) -> {
            lane.write(stream);
            receiver.receive(() -> null, OutputStream.nullOutputStream(), () -> {});
            disk.hang();
            receiver.commit();
        });
        // the server has been asked, and does it when it can
        expected = List.of("archive");
    }
}
