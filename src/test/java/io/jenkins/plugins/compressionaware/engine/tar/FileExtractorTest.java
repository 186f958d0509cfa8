package io.jenkins.plugins.compressionaware.engine.tar;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.engine.run.DiskHelpers;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileExtractorTest {
    @TempDir
    private Path tmp;

    /** A delta of three kilobytes can describe millions of runs of one byte each. */
    @Test
    void contentReadByteByByteIsWrittenInLargeBlocks() throws IOException {
        byte[] bytes = FileTrees.noise(300_000);
        int[] writes = new int[1];
        FileCreator counting = new FileCreator(tmp) {
            @Override
            OutputStream create(Path path, int mode, boolean shared) throws IOException {
                return new FilterOutputStream(super.create(path, mode, shared)) {
                    @Override
                    public void write(byte[] content, int offset, int length) throws IOException {
                        writes[0]++;
                        out.write(content, offset, length);
                    }
                };
            }
        };
        InputStream single = new FilterInputStream(new ByteArrayInputStream(bytes)) {
            @Override
            public int read(byte[] target, int offset, int length) throws IOException {
                return super.read(target, offset, Math.min(1, length));
            }
        };
        Path file = tmp.resolve("file");
        PendingFile target = new PendingFile(
                Workspace.own(tmp, counting), Path.of("file"), file, "file", 0, FileTime.fromMillis(0), 0);
        new FileExtractor(new ParallelFileWriter(DiskHelpers.NONE, new AdaptiveConcurrency()))
                .write(tmp, target, single, bytes.length);
        assertArrayEquals(bytes, Files.readAllBytes(file));
        assertEquals(3, writes[0]);
    }
}
