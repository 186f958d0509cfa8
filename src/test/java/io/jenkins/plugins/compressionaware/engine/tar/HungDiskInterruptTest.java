package io.jenkins.plugins.compressionaware.engine.tar;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testing.FreezingDisk;
import java.io.ByteArrayInputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Interrupts a thread that writes to a frozen disk, which only root can mount; {@link FileCreatorTest} and {@link TarPackerTest} need no root. */
@Tag("slow")
@EnabledOnOs(OS.LINUX)
@Timeout(60)
class HungDiskInterruptTest {
    @TempDir
    Path tmp;

    @Test
    void interruptReturnsWhileDiskHangs() throws Exception {
        Path folder = tmp.resolve("disk");
        try (FreezingDisk disk = FreezingDisk.mount(folder)) {
            Path file = folder.resolve("file");
            byte[] content = new byte[8 << 20];
            ByteArrayInputStream frozenHalfWay = new ByteArrayInputStream(content) {
                @Override
                public synchronized int read(byte[] target, int offset, int length) {
                    if (available() == content.length / 2) {
                        disk.freeze();
                    }
                    return super.read(target, offset, length);
                }
            };
            FutureTask<Void> writing = new FutureTask<>(() -> {
                try (OutputStream out = new FileCreator(folder).create(file, 0644, false)) {
                    // transferTo() would write the whole array at once
                    byte[] part = new byte[8192];
                    for (int n; (n = frozenHalfWay.read(part)) > 0; ) {
                        out.write(part, 0, n);
                    }
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

            disk.thaw();
            writing.get();
            assertEquals(content.length, Files.size(file));
        }
    }

    /** Returns whether the thread stays in the native write method for longer than a working disk needs. */
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
}
