package io.jenkins.plugins.compressionaware.tar;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * A disk that takes nothing for a while. Needs root, who may mount and freeze one; {@link FileWriterTest} and {@link TarPackerTest} show
 * everywhere that there is nothing an interrupt could wait for.
 */
@Tag("slow")
@EnabledOnOs(OS.LINUX)
@Timeout(60)
class FrozenDiskTest {
    @TempDir
    Path tmp;

    private Path disk;

    @BeforeEach
    void mount() throws Exception {
        assumeTrue(System.getProperty("user.name").equals("root"));
        Path image = tmp.resolve("image");
        disk = Files.createDirectory(tmp.resolve("disk"));
        assumeTrue(run("truncate", "-s", "64M", image) && run("mkfs.ext4", "-q", image), "no ext4");
        assumeTrue(run("mount", "-o", "loop", image, disk), "no mount");
    }

    @AfterEach
    void unmount() throws Exception {
        run("fsfreeze", "-u", disk);
        run("umount", disk);
    }

    @Test
    void interruptDoesNotWaitForTheDisk() throws Exception {
        Path file = disk.resolve("file");
        byte[] content = new byte[8 << 20];
        ByteArrayInputStream frozenHalfWay = new ByteArrayInputStream(content) {
            @Override
            public synchronized int read(byte[] target, int offset, int length) {
                if (available() == content.length / 2) {
                    freeze();
                }
                return super.read(target, offset, length);
            }
        };
        FutureTask<Void> writing = new FutureTask<>(() -> {
            try (OutputStream out = new FileWriter(disk).create(file, 0644)) {
                frozenHalfWay.transferTo(out);
            }
            return null;
        });
        Thread thread = new Thread(writing);
        thread.start();
        await().until(() -> stuckInTheKernel(thread));

        Thread interrupter = new Thread(thread::interrupt);
        interrupter.start();
        interrupter.join(TimeUnit.SECONDS.toMillis(2));
        assertTrue(stuckInTheKernel(thread), "the disk is still frozen");
        assertEquals(Thread.State.TERMINATED, interrupter.getState(), "interrupt() waits for the disk");

        assertTrue(run("fsfreeze", "-u", disk));
        writing.get();
        assertEquals(content.length, Files.size(file));
    }

    private void freeze() {
        try {
            assertTrue(run("fsfreeze", "-f", disk));
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** In the method that writes, for a while: longer than a disk that works takes. */
    private static boolean stuckInTheKernel(Thread thread) throws InterruptedException {
        for (int i = 0; i < 20; i++) {
            List<StackTraceElement> stack = Arrays.asList(thread.getStackTrace());
            if (stack.isEmpty()
                    || !stack.get(0).isNativeMethod()
                    || !stack.get(0).getMethodName().startsWith("write")) {
                return false;
            }
            Thread.sleep(10);
        }
        return true;
    }

    private static boolean run(Object... command) throws IOException, InterruptedException {
        return new ProcessBuilder(Arrays.stream(command).map(Object::toString).toList())
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start()
                        .waitFor()
                == 0;
    }
}
