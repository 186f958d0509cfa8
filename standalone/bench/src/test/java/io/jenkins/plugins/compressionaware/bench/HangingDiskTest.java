package io.jenkins.plugins.compressionaware.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.jenkins.plugins.compressionaware.demo.TempFolder;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.receive.Receiver;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.tar.EntryDecoder;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
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

/**
 * Tests that a build can be aborted while the disk of its archive hangs, and that the staged files are deleted when the
 * disk answers again.
 */
@Timeout(120)
class HangingDiskTest {
    private static final SendOptions OPTIONS = new SendOptions(Codec.NONE, 0);

    /** Seconds; longer than the wait for a disk that answers. */
    private static final int TIMEOUT_SECONDS = 20;

    private final ExecutorService threads = Executors.newCachedThreadPool();

    private final CountDownLatch hung = new CountDownLatch(1);

    @TempDir
    Path tmp;

    private TempFolder program;
    private Path files;
    private SlowFolder disk;
    private Path archive;
    private Map<String, String> names;
    private byte[] stream;
    private List<String> committed = List.of();

    @BeforeEach
    void mount() throws Exception {
        assumeTrue(SlowFolder.missing().isEmpty(), "Untested: a hanging disk needs FUSE");
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
            assertTrue(threads.awaitTermination(1, TimeUnit.MINUTES), "blocked tasks end when the disk answers");
            disk.end();
            disk.close();
            program.close();
            List<String> left = new ArrayList<>(List.of(files.toFile().list()));
            left.removeAll(committed);
            assertEquals(List.of(), left);
        }
    }

    private void hang() {
        disk.hang();
        hung.countDown();
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

    private void assertAbortable(Step step) throws Exception {
        FutureTask<Void> transfer = new FutureTask<>(() -> {
            try (Receiver receiver =
                    new Receiver(archive, null, names.keySet(), EntryDecoder.NONE, OPTIONS.blockSize(), threads)) {
                step.run(receiver, receiver.inbox().newLane());
            }
            return null;
        });
        Thread build = new Thread(transfer);
        build.start();
        assertTrue(hung.await(1, TimeUnit.MINUTES), "the disk hangs");
        // let the transfer block on the disk
        Thread.sleep(500);
        assertTrue(build.isAlive());
        build.interrupt();
        build.join(TimeUnit.SECONDS.toMillis(TIMEOUT_SECONDS));
        assertTrue(!build.isAlive(), "the build still waits for the disk");
        assertThrows(Exception.class, transfer::get);
    }

    @Test
    void abortsCreationOfStagingFolder() throws Exception {
        workspace(1, 10);
        hang();
        assertAbortable((receiver, lane) -> {});
    }

    @Test
    void abortsWriteOfFirstFile() throws Exception {
        workspace(1, 1 << 21);
        assertAbortable((receiver, lane) -> {
            hang();
            lane.write(stream);
            receiver.start();
            receiver.awaitEnd(() -> {});
        });
    }

    @Test
    void abortsParallelWriters() throws Exception {
        workspace(3_000, 10);
        assertAbortable((receiver, lane) -> {
            Thread hanging = new Thread(() -> {
                try {
                    while (PathUtils.countDirectory(files).getFileCounter().get() < 500) {
                        Thread.sleep(1);
                    }
                    hang();
                } catch (IOException | InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            hanging.start();
            lane.write(stream);
            receiver.start();
            receiver.awaitEnd(() -> {});
        });
    }

    @Test
    void abortsCommit() throws Exception {
        workspace(1, 10);
        assertAbortable((receiver, lane) -> {
            lane.write(stream);
            receiver.start();
            receiver.awaitEnd(() -> {});
            hang();
            receiver.commit();
        });
        // exists only if the server had already received the rename
        committed = List.of("archive");
    }
}
