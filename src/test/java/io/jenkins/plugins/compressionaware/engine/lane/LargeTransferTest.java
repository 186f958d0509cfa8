package io.jenkins.plugins.compressionaware.engine.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Loopback;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Transfers with many entries, or with a size beyond eleven octal digits of a tar header. */
class LargeTransferTest {
    @TempDir
    Path tmp;

    @Test
    @Timeout(120)
    void manySmallFilesArrive() throws Exception {
        Path workspace = Files.createDirectory(tmp.resolve("workspace"));
        for (int i = 0; i < 5_000; i++) {
            if (i % 100 == 0) {
                Files.createDirectory(workspace.resolve("d" + i / 100));
            }
            Files.writeString(workspace.resolve("d" + i / 100).resolve("file" + i), "content " + i);
        }
        Path archive = tmp.resolve("archive");
        Loopback.Result result =
                Loopback.with(new SendOptions(Codec.ZSTD, 1)).archive(workspace, FileTrees.names(workspace), archive);
        assertEquals(5_000, result.received().entries());
        assertEquals(FileTrees.describe(workspace), FileTrees.describe(archive));
    }

    @Test
    @Tag("slow")
    void entryAbove8GiBArrives() throws Exception {
        long size = (8L << 30) + 12_345;
        assumeTrue(
                Files.getFileStore(tmp).getUsableSpace() > size + (2L << 30),
                "Untested: an entry above 8 GiB, since the disk has not enough space");
        Path workspace = Files.createDirectory(tmp.resolve("workspace"));
        try (FileChannel file = FileChannel.open(
                workspace.resolve("large"),
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.WRITE,
                StandardOpenOption.SPARSE)) {
            file.write(ByteBuffer.wrap("start".getBytes()), 0);
            file.write(ByteBuffer.wrap("end".getBytes()), size - 3);
        }
        Files.writeString(workspace.resolve("after"), "after");
        Path archive = tmp.resolve("archive");
        Loopback.Result result =
                Loopback.with(new SendOptions(Codec.ZSTD, 1)).archive(workspace, FileTrees.names(workspace), archive);
        assertEquals(size + 5, result.received().contentBytes());
        assertEquals(FileTrees.describe(workspace), FileTrees.describe(archive));
    }
}
