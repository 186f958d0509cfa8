package io.jenkins.plugins.compressionaware.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.Frame;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads frames of this plugin with the independent reader that formats.md shows. */
class WireFormatTest {
    @TempDir
    Path sources;

    @Test
    void readerOnPageReadsFramesOfAllCodecs() throws Exception {
        List<Page.Sample> reader = Page.of("docs/formats.md").samples().stream()
                .filter(sample -> sample.language().equals("java"))
                .toList();
        assertEquals(1, reader.size(), "one reader");
        Files.writeString(sources.resolve("ListFrames.java"), reader.get(0).code());
        try (URLClassLoader loader = Compiled.folder(sources)) {
            var read = loader.loadClass("ListFrames").getMethod("list", InputStream.class);
            for (Codec codec : Codec.values()) {
                assertEquals(
                        List.of(codec.symbol() + " block 0, 11 bytes", codec.symbol() + " block 1, 0 bytes, end"),
                        read.invoke(null, new ByteArrayInputStream(stream(codec))));
            }
        }
    }

    private static byte[] stream(Codec codec) {
        byte[] raw = "hello there".getBytes(StandardCharsets.US_ASCII);
        return CapturedTransfer.join(List.of(Frame.block(codec, 0, raw), Frame.end(codec, 1)));
    }
}
