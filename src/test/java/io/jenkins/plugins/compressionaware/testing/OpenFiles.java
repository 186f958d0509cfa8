package io.jenkins.plugins.compressionaware.testing;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts file descriptors of this process on Linux. */
public final class OpenFiles {
    private OpenFiles() {}

    private static int now() {
        return Objects.requireNonNull(new File("/proc/self/fd").list()).length;
    }

    /** Returns the maximum of descriptors that a task has open at a time. Counts repeatedly, so it may miss a short peak. */
    public static int most(Callable<?> work) throws Exception {
        int before = now();
        AtomicInteger most = new AtomicInteger();
        AtomicBoolean ended = new AtomicBoolean();
        Thread watch = new Thread(() -> {
            while (!ended.get()) {
                most.accumulateAndGet(now(), Math::max);
            }
        });
        watch.start();
        try {
            for (int i = 0; i < 2; i++) {
                work.call();
            }
        } finally {
            ended.set(true);
            watch.join();
        }
        return most.get() - before;
    }

    /** Creates a file below 300 nested folders. */
    public static Path deepFile(Path folder, byte[] content) throws IOException {
        return Files.write(
                Files.createDirectories(folder.resolve("d/".repeat(300))).resolve("file"), content);
    }
}
