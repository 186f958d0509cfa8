package io.jenkins.plugins.compressionaware.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecUsage;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.CodecLibrary;
import io.jenkins.plugins.compressionaware.engine.send.CompressionMode;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Jvm;
import io.jenkins.plugins.compressionaware.testing.LaneHook;
import io.jenkins.plugins.compressionaware.testing.Loopback;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Automatic choice of codec and level in the whole pipeline. */
@Timeout(60)
class AutomaticChoiceTest {
    private static final CompressionMode AUTO = new CompressionMode.Auto(0, 9, true);

    @TempDir
    Path tmp;

    private Path workspace;

    @BeforeEach
    void prepare() throws Exception {
        workspace = Files.createDirectory(tmp.resolve("workspace"));
    }

    private void write(String name, byte[] content) throws IOException {
        Files.write(workspace.resolve(name), content);
    }

    /** Returns repetitive lines like those of a log. */
    private static byte[] log(int length) {
        Random random = new Random(4);
        StringBuilder text = new StringBuilder(length + 100);
        while (text.length() < length) {
            text.append("2026-01-01T00:00:")
                    .append(random.nextInt(60))
                    .append(" INFO worker-")
                    .append(random.nextInt(1000))
                    .append(" has finished task ")
                    .append(Integer.toHexString(random.nextInt()))
                    .append(" without errors\n");
        }
        return text.substring(0, length).getBytes(StandardCharsets.US_ASCII);
    }

    private Loopback.Result archive(CompressionMode compression) throws Exception {
        return archive(compression, AutomaticChoiceTest::slowLane);
    }

    private Loopback.Result archive(CompressionMode compression, UnaryOperator<OutputStream> lane) throws Exception {
        Path archive = tmp.resolve("archive");
        Loopback.Result result = Loopback.with(new SendOptions(compression))
                .through(lane)
                .archive(workspace, FileTrees.names(workspace), archive);
        assertEquals(FileTrees.describe(workspace), FileTrees.describe(archive));
        return result;
    }

    /** Limits the lane to 20 MB/s. At the speed of memory, or at 100 MB/s on a busy machine, compression does not pay off. */
    private static OutputStream slowLane(OutputStream out) {
        return new LaneHook(out, (write, length) -> {
            LockSupport.parkNanos(length * 50L);
            return true;
        });
    }

    private static void loadLibraries() {
        assertNull(CodecLibrary.ZSTD.problem(), "this test needs zstd");
        assertNull(CodecLibrary.LZ4.problem(), "this test needs lz4");
    }

    @Test
    void noiseIsSentUncompressed() throws Exception {
        loadLibraries();
        write("noise", FileTrees.noise(32 << 20));
        SendReport sent = archive(AUTO).sent();
        assertEquals(CodecLevel.UNCOMPRESSED, sent.usages().get(0).choice());
        assertTrue(sent.usages().get(0).blocks() >= 115, "except for a few trials: " + sent);
        assertTrue(sent.figures().wireBytes() < sent.figures().contentBytes() * 1.01, sent.toString());
    }

    @Test
    void codecFollowsContentOfEachFile() throws Exception {
        loadLibraries();
        for (int i = 0; i < 8; i++) {
            write(i + ".jar", FileTrees.noise(1 << 20));
            write(i + ".log", log(1 << 20));
        }
        SendReport sent = archive(new CompressionMode.Auto(0, 9, true)).sent();
        long uncompressed = uncompressed(sent);
        assertTrue(uncompressed >= 7 << 20, "nearly all of the noise: " + sent);
        assertTrue(uncompressed <= 9 << 20, "hardly any log: " + sent);
    }

    private static long uncompressed(SendReport sent) {
        return sent.usages().stream()
                .filter(usage -> usage.choice().equals(CodecLevel.UNCOMPRESSED))
                .mapToLong(CodecUsage::rawBytes)
                .sum();
    }

    @Test
    void levelStaysWithinBounds() throws Exception {
        loadLibraries();
        write("log", log(8 << 20));
        SendReport sent = archive(new CompressionMode.Auto(3, 3, true)).sent();
        assertEquals(Set.of(CodecLevel.zstd(3)), choices(sent));
    }

    @Test
    void noiseIsSentUncompressedDespiteLowestLevel() throws Exception {
        loadLibraries();
        write("noise", FileTrees.noise(8 << 20));
        write("log", log(8 << 20));
        SendReport sent = archive(new CompressionMode.Auto(3, 3, true)).sent();
        assertEquals(Set.of(CodecLevel.zstd(3), CodecLevel.UNCOMPRESSED), choices(sent));
        long uncompressed = uncompressed(sent);
        assertTrue(uncompressed >= 6 << 20, "nearly all of the noise: " + sent);
        assertTrue(uncompressed <= (8 << 20) + 4096, "no log: " + sent);
    }

    /** Without zstd and lz4, gzip remains, because every receiver can decode it. */
    @Test
    void usesOnlyAllowedCodecs() throws Exception {
        loadLibraries();
        write("log", log(8 << 20));
        assertEquals(Set.of(Codec.GZIP), codecs(archive(new CompressionMode.Auto(1, 9, false, false))));
        // at the speed of memory, the fastest codec that level 1 allows is right, also on a busy machine
        Set<Codec> fast = codecs(archive(new CompressionMode.Auto(1, 1, false, true), out -> out));
        assertTrue(fast.contains(Codec.LZ4), fast.toString());
        assertTrue(Set.of(Codec.LZ4, Codec.GZIP).containsAll(fast), fast.toString());
    }

    private static Set<Codec> codecs(Loopback.Result result) {
        return choices(result.sent()).stream().map(CodecLevel::codec).collect(Collectors.toSet());
    }

    private static Set<CodecLevel> choices(SendReport sent) {
        return sent.usages().stream().map(CodecUsage::choice).collect(Collectors.toSet());
    }

    @Test
    void reportMatchesReceivedBytes() throws Exception {
        write("log", log(8 << 20));
        Loopback.Result result = archive(AUTO);
        SendReport sent = result.sent();
        assertEquals(
                result.received().figures().rawBytes(),
                sent.usages().stream().mapToLong(CodecUsage::rawBytes).sum());
        assertEquals(result.received().figures().wireBytes(), sent.figures().wireBytes());
        assertTrue(sent.auto());
        assertNull(sent.zstdProblem());
        assertTrue(sent.figures().readNanos() > 0 && sent.figures().linkNanos() > 0, sent.toString());
        assertTrue(sent.figures().cpuNanos() > 0 && result.received().figures().cpuNanos() > 0, result.toString());
    }

    /** Uses a separate JVM, because this JVM has loaded the library. */
    @Test
    void missingLibraryIsNotLoaded() throws Exception {
        write("log", log(200_000));
        List<String> opened = List.of("--add-opens=java.base/java.lang=ALL-UNNAMED");
        assertEquals(List.of("gzip", "false"), Jvm.run(opened, ColdAgent.class, workspace.toString()));
    }

    /** Prints the codec of most bytes, and whether the classes of zstd were loaded. */
    static final class ColdAgent {
        public static void main(String[] args) throws Exception {
            Path workspace = Path.of(args[0]);
            SendReport sent = CapturedTransfer.discard(workspace, FileTrees.names(workspace), new SendOptions(AUTO));
            System.out.println(sent.usages().get(0).choice().codec().symbol());
            Method loaded = ClassLoader.class.getDeclaredMethod("findLoadedClass", String.class);
            loaded.setAccessible(true);
            System.out.println(loaded.invoke(ColdAgent.class.getClassLoader(), "com.github.luben.zstd.Zstd") != null);
        }
    }
}
