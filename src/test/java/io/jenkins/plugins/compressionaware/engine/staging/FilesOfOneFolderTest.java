package io.jenkins.plugins.compressionaware.engine.staging;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.testing.Jvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Merges many empty files, because an agent may send any number of them and their names compress well. */
class FilesOfOneFolderTest {
    private static final int FILES = 120_000;

    @TempDir
    Path tmp;

    @Test
    void manyFilesInOneFolderNeedLittleHeap() throws Exception {
        List<String> output = Jvm.run(List.of("-Xmx12m"), Many.class, tmp.toString());
        assertEquals(List.of("moved and gone"), output);
    }

    /** Runs in a separate JVM. */
    static final class Many {
        private Many() {}

        public static void main(String[] args) throws Exception {
            Path from = Files.createDirectories(Path.of(args[0], "from", "folder"));
            Path to = Files.createDirectories(Path.of(args[0], "to", "folder"));
            for (int i = 0; i < FILES; i++) {
                Files.createFile(from.resolve("file" + i));
            }
            FileOperations files = new FileOperations();
            new TreeMerge(from.getParent(), to.getParent(), files).run(new ReentrantLock());
            files.deleteRecursively(to.getParent());
            System.out.println(Files.exists(to) || Files.exists(from) ? "left" : "moved and gone");
        }
    }
}
