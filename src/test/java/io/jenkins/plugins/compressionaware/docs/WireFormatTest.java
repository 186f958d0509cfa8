package io.jenkins.plugins.compressionaware.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.packed.Packed;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Frame;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Reads frames of this plugin with the independent readers that formats.md links. */
class WireFormatTest {
    @TempDir
    Path sources;

    /** Compiles a program that the page links. */
    private URLClassLoader compiled(String name) throws Exception {
        Files.copy(Page.root().resolve("docs/formats/" + name + ".java"), sources.resolve(name + ".java"));
        return Compiled.folder(sources);
    }

    @ParameterizedTest
    @EnumSource(names = {"NONE", "ZSTD"})
    void commonsCompressReadsStash(Codec codec) throws Exception {
        Path tree = Files.createDirectory(sources.resolve("tree"));
        Files.writeString(tree.resolve("text"), "hello there");
        Files.write(tree.resolve("noise"), FileTrees.noise(700_000));
        SendOptions options = new SendOptions(codec, codec.defaultLevel());
        Path stash = CapturedTransfer.store(tree, FileTrees.names(tree), options, sources.resolve("x.tar.zst"));
        try (URLClassLoader loader = compiled("ListFiles");
                InputStream in = Files.newInputStream(stash)) {
            Object files = loader.loadClass("ListFiles")
                    .getMethod("list", InputStream.class)
                    .invoke(null, in);
            assertEquals(Set.of("text, 11 bytes", "noise, 700000 bytes"), Set.copyOf((List<?>) files));
        }
    }

    @Test
    void linkedReaderListsPackedArchive() throws Exception {
        Path tree = sources.resolve("tree");
        FileTrees.write(tree, "a/text", "hello there");
        FileTrees.write(tree, "a/" + "x".repeat(120), "");
        Files.createSymbolicLink(tree.resolve("link"), Path.of("a"));
        Path archive = sources.resolve("archive");
        Packed.archive(tree, archive);
        byte[] file = Files.readAllBytes(archive.resolve("packed-artifacts/1.tar.zst"));
        try (URLClassLoader loader = compiled("ListPacked")) {
            Object entries = loader.loadClass("ListPacked")
                    .getMethod("list", byte[].class)
                    .invoke(null, (Object) file);
            List<String> expected = List.of(
                    "a/text at 0, 11 bytes", "a/" + "x".repeat(120) + " at 1024, 0 bytes", "link at 2560, link to a");
            assertEquals(expected, entries);
        }
    }

    @Test
    void linkedReaderReadsFramesOfAllCodecs() throws Exception {
        try (URLClassLoader loader = compiled("ListFrames")) {
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
