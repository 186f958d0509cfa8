package io.jenkins.plugins.compressionaware.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.agent.BootstrapArchiveCallable;
import io.jenkins.plugins.compressionaware.engine.codec.FrameCodec;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares the default block size with copies that cannot refer to the constant. */
class BlockSizeTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            value = {
                "docs/architecture.md # BlockSplitter<br>%d KiB",
                "docs/architecture.md # | block | %d KiB of the tar"
            })
    void pagesShowDefaultBlockSize(String file, String text) throws Exception {
        String expected = String.format(text, FrameCodec.DEFAULT_BLOCK / 1024);
        assertTrue(Files.readString(Page.root().resolve(file)).contains(expected), expected);
    }

    /** A reference to the constant would send more classes to fresh agents. */
    @Test
    void bootstrapCallUsesDefaultBlockSize() {
        assertEquals(FrameCodec.DEFAULT_BLOCK, BootstrapArchiveCallable.BLOCK);
    }
}
