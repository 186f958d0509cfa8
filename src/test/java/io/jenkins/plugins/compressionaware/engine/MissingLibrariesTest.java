package io.jenkins.plugins.compressionaware.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.FrameEnvelope;
import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileWriter;
import io.jenkins.plugins.compressionaware.engine.send.CompressionMode;
import io.jenkins.plugins.compressionaware.engine.send.FrameFileSink;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.engine.send.Sender;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.Jvm;
import io.jenkins.plugins.compressionaware.transfer.StashCodecs;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Agents without a codec's library use another codec and report the reason; each agent is a separate JVM. */
@Timeout(120)
class MissingLibrariesTest {
    private static final String ZSTD = "com.github.luben.zstd.Zstd";
    private static final String LZ4 = "net.jpountz.lz4.LZ4Factory";

    @TempDir
    Path tmp;

    @Test
    void usesWantedCodecsIfLibraryIsAvailable() throws Exception {
        assertEquals(
                List.of("lz4 xxhash64", "zstd null", "gzip null", "none null", "zstd here and zstd null"),
                agent(List.of(), ZSTD, LZ4));
    }

    /** Then lz4-java is plain Java, and the controller decodes it. */
    @Test
    void usesLz4IfNativeLibrariesCannotBeLoaded() throws Exception {
        Path missing = tmp.resolve("missing");
        List<String> lines = agent(List.of("-DZstdTempFolder=" + missing, "-Djava.io.tmpdir=" + missing), ZSTD, LZ4);
        assertEquals("lz4 xxhash64", lines.get(0));
    }

    @Test
    void fallsBackToGzipAndCrc32cWithoutLibraries() throws Exception {
        List<String> lines = agent(List.of());
        assertEquals("gzip crc32c", lines.get(0));
        assertGzipReplacesZstd(lines, "com.github.luben.zstd");
    }

    private static void assertGzipReplacesZstd(List<String> lines, String reason) {
        assertTrue(lines.get(1).startsWith("gzip java.lang."), lines.get(1));
        assertTrue(lines.get(1).contains(reason), "the reason: " + lines.get(1));
        assertEquals(List.of("gzip null", "none null"), lines.subList(2, 4));
        assertEquals("gzip here and " + lines.get(1), lines.get(4));
    }

    /**
     * Returns one line for each of: the frames of a transfer with lz4 and xxhash64; a transfer with zstd, gzip and none (codec and fallbacks); a local stash
     * and a sent stash with zstd.
     */
    private List<String> agent(List<String> jvmOptions, String... libraries) throws Exception {
        List<String> needed = new ArrayList<>(List.of(
                Sender.class.getName(),
                Agent.class.getName(),
                "org.apache.commons.compress.archivers.tar.TarArchiveEntry",
                "org.apache.commons.io.IOUtils",
                "org.apache.commons.lang3.StringUtils"));
        needed.addAll(List.of(libraries));
        List<String> classPath = new ArrayList<>();
        for (String name : needed) {
            classPath.add(location(name));
        }
        Path file = Files.writeString(tmp.resolve("file"), "some content ".repeat(1_000));
        return Jvm.run(jvmOptions, String.join(File.pathSeparator, classPath), Agent.class, file.toString());
    }

    private static String location(String className) throws Exception {
        URI uri = Class.forName(className, false, MissingLibrariesTest.class.getClassLoader())
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI();
        return Path.of(uri).toString();
    }

    /** Runs in the separate JVM. */
    static final class Agent {
        private Agent() {}

        public static void main(String[] args) throws Exception {
            Path file = Path.of(args[0]);
            SendOptions lz4 = new SendOptions(
                    new CompressionMode.Fixed(new CodecLevel(Codec.LZ4, 0)), 1 << 18, 1, Checksum.XXHASH64);
            byte[] stream = CapturedTransfer.stream(file.getParent(), Map.of("file", "file"), lz4);
            FrameHeader header = FrameEnvelope.forFirstByte(stream[0]).read(stream);
            System.out.println(
                    header.codec().symbol() + " " + header.checksum().name().toLowerCase(Locale.ROOT));
            for (Codec codec : List.of(Codec.ZSTD, Codec.GZIP, Codec.NONE)) {
                System.out.println(sent(file, new SendOptions(codec, codec.defaultLevel())));
            }
            SendOptions chosen = new SendOptions(Codec.ZSTD, 5);
            System.out.println(stored(file, StashCodecs.onController(chosen)) + " here and "
                    + sent(file, afterSerialization(StashCodecs.of(chosen))));
        }

        private static String sent(Path file, SendOptions options) throws Exception {
            Map<String, String> files = Map.of("file", file.getFileName().toString());
            SendReport report = CapturedTransfer.discard(file.getParent(), files, options);
            return report.usages().get(0).choice().codec().symbol() + " " + report.zstdProblem();
        }

        private static String stored(Path file, SendOptions options) throws Exception {
            Path partial = file.resolveSibling("partial");
            try (FrameFileWriter writer =
                    new FrameFileWriter(file.resolveSibling("stash"), partial, options.blockSize(), Long.MAX_VALUE)) {
                SendReport report = FrameFileSink.store(file.getParent(), Map.of("file", "file"), options, writer);
                return report.usages().get(0).choice().codec().symbol();
            }
        }

        private static SendOptions afterSerialization(SendOptions options) throws Exception {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            new ObjectOutputStream(bytes).writeObject(options);
            return (SendOptions) new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
        }
    }
}
