package io.jenkins.plugins.compressionaware.transfer;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Frame;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Small stashes, which the controller deflates in its heap. */
class InlineStashTest {
    private static final int MEBIBYTE = 1 << 20;

    @TempDir
    private Path folder;

    private Path stash(byte[] content) throws Exception {
        Path tree = Files.createDirectories(folder.resolve("tree"));
        Files.write(tree.resolve("file"), content);
        Path file = folder.resolve("x.tar.zst");
        CapturedTransfer.store(tree, FileTrees.names(tree), new SendOptions(Codec.GZIP, 6), file);
        return file;
    }

    private static byte[] deflate(Path file) throws IOException {
        try (FrameFile frames = FrameFile.open(file)) {
            return InlineStash.deflate(frames, Runnable::run);
        }
    }

    @Test
    void onlySmallStashIsDeflated() throws Exception {
        byte[] deflated = deflate(stash(new byte[MEBIBYTE]));
        assertNotNull(deflated);
        assertTrue(deflated.length < 10_000, deflated.length + " bytes");
        assertNull(deflate(stash(FileTrees.noise(MEBIBYTE))), "more than 1 MiB deflated");
        assertNull(deflate(stash(new byte[2 * MEBIBYTE])), "more than 2 MiB of tar");
    }

    /** A file that is damaged, or that other software wrote, may contain any number of blocks. */
    @Test
    void longerTarThanClaimedIsNotDeflated() throws Exception {
        Path file = stash(new byte[50 * MEBIBYTE]);
        Frame.claimRawBytes(file, 100_000);
        assertNull(deflate(file), "the tar deflates to 50 kB, but is longer than claimed");
    }
}
