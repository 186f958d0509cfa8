package io.jenkins.plugins.compressionaware.testing;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Descriptors of this process, as Linux tells them. */
public final class OpenFiles {
    private OpenFiles() {}

    private static int now() {
        return Objects.requireNonNull(new File("/proc/self/fd").list()).length;
    }

    /** Most that something has open at a time, as far as looking on again and again shows it. */
    public static int most(Callable<?> work) throws Exception {
        int before = now();
        AtomicInteger most = new AtomicInteger();
        AtomicBoolean over = new AtomicBoolean();
        Thread watch = new Thread(() -> {
            while (!over.get()) {
                most.accumulateAndGet(now(), Math::max);
            }
        });
        watch.start();
        try {
            for (int i = 0; i < 2; i++) {
                work.call();
            }
        } finally {
            over.set(true);
            watch.join();
        }
        return most.get() - before;
    }

    /** A file below three hundred folders, each in the one before. */
    public static Path deepFile(Path folder, byte[] content) throws IOException {
        return Files.write(
                Files.createDirectories(folder.resolve("d/".repeat(300))).resolve("file"), content);
    }
}
