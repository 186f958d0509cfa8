package io.jenkins.plugins.compressionaware.provisioning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.FilePath;
import hudson.model.Slave;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.CompressionAwareArtifactManagerFactory;
import io.jenkins.plugins.compressionaware.agent.LoadCodecsCallable;
import io.jenkins.plugins.compressionaware.config.GlobalSettings;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.engine.codec.CodecLibrary;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.report.TransferResults;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.transfer.Transfers;
import io.jenkins.plugins.compressionaware.transfer.UploadTransfer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.jvnet.hudson.test.JenkinsRule;
import org.jvnet.hudson.test.junit.jupiter.InboundAgentExtension;
import org.jvnet.hudson.test.junit.jupiter.WithJenkins;

/** An agent gets the codec libraries of its own platform only. */
class CodecJarTest {
    @RegisterExtension
    private final InboundAgentExtension agents = new InboundAgentExtension();

    /** Patterns of class names. */
    private static final String ZSTD = "com\\.github\\.luben";

    private static final String LZ4 = "net\\.jpountz";

    @TempDir
    Path temp;

    private final ByteArrayOutputStream log = new ByteArrayOutputStream();

    @ParameterizedTest
    @CsvSource({
        "Linux, amd64, linux/amd64",
        "Linux, aarch64, linux/aarch64",
        "Linux, riscv64, linux/riscv64",
        "Linux, arm, linux/arm",
        "Windows Server 2022, amd64, win/amd64",
        "Mac OS X, aarch64, darwin/aarch64",
        "Mac OS X, x86_64, darwin/x86_64",
        "FreeBSD, amd64, freebsd/amd64"
    })
    void jarOfOnePlatformIsSmall(String name, String arch, String platform) throws Exception {
        assertEquals(platform, CodecJar.platform(name, arch));
        CodecJar jar = CodecJar.of(CodecLibrary.ZSTD, platform);
        assertNotNull(jar);
        int length;
        try (InputStream in = jar.url().openStream()) {
            length = in.readAllBytes().length;
        }
        assertTrue(length > 250_000 && length < 600_000, length + " bytes");
    }

    @ParameterizedTest
    @ValueSource(strings = {"plan9/mips", "linux/../linux/amd64", "/", ""})
    void unsupportedPlatformHasNoJar(String platform) throws Exception {
        assertNull(CodecJar.of(CodecLibrary.ZSTD, platform));
    }

    @Test
    @WithJenkins
    void agentLoadsLibrariesFromJar(JenkinsRule r) throws Exception {
        Path loaded = temp.resolve("classes");
        Slave agent = InboundTransport.TCP.start(agents, r, "-Xlog:class+load:file=" + loaded);
        TransferResult result = archive(agent);
        assertTrue(codecs(result).contains("zstd"), codecs(result) + "");
        List<String> libraries = Transfers.loaded(loaded, ZSTD);
        List<String> elsewhere = libraries.stream()
                .filter(line -> !line.contains("artifact-transfer-zstd-linux-"))
                .toList();
        assertEquals(List.of(), elsewhere, "add these to zstd-classes.txt");
        assertTrue(libraries.size() > 5 && libraries.size() < 20, libraries.size() + " classes");
        assertEquals(List.of(), Transfers.loaded(loaded, LZ4), "lz4-java is not needed where zstd works");
    }

    @ParameterizedTest
    @CsvSource({"lz4, crc32c", "gzip, xxhash64"})
    @WithJenkins
    void agentLoadsLz4FromJarWhenNeeded(String codec, String checksum, JenkinsRule r) throws Exception {
        Path loaded = temp.resolve("classes");
        Slave agent = InboundTransport.TCP.start(agents, r, "-Xlog:class+load:file=" + loaded);
        CompressionAwareArtifactManagerFactory factory = new CompressionAwareArtifactManagerFactory();
        factory.setCodec(codec);
        factory.setChecksum(checksum);
        TransferResult result = archive(agent, factory.settings());
        assertEquals(Set.of(codec), codecs(result));
        assertEquals(
                List.of(),
                Transfers.loaded(loaded, LZ4).stream()
                        .filter(line -> !line.contains("artifact-transfer-lz4-linux-"))
                        .toList(),
                "add these to lz4-classes.txt");
        assertEquals(List.of(), Transfers.loaded(loaded, ZSTD));
        assertFalse(Transfers.loaded(loaded, LZ4).isEmpty());
        assertFalse(log.toString(StandardCharsets.UTF_8).contains("lz4-java"), log.toString());
    }

    @Test
    @WithJenkins
    void withoutLz4JavaLogSaysSoAndGzipAndCrc32cAreUsed(JenkinsRule r) throws Exception {
        Path loaded = temp.resolve("classes");
        Slave agent = InboundTransport.TCP.start(agents, r, "-Xlog:class+load:file=" + loaded);
        CodecJar jar =
                CodecJar.of(CodecLibrary.LZ4, AgentInfo.of(agent.getChannel()).platform());
        agent.getChannel().call(new LoadCodecsCallable(CodecLibrary.LZ4, jar.nativeCode(), jar.checksum() + 1));
        CompressionAwareArtifactManagerFactory factory = new CompressionAwareArtifactManagerFactory();
        factory.setCodec("lz4");
        factory.setChecksum("xxhash64");
        TransferResult result = archive(agent, factory.settings());
        assertEquals(Set.of("gzip"), codecs(result));
        assertEquals(List.of(), Transfers.loaded(loaded, LZ4));
        String logged = log.toString(StandardCharsets.UTF_8);
        assertTrue(
                logged.matches(
                        "(?s).*lz4-java does not load on this agent; using gzip instead of lz4, and CRC-32C instead of"
                                + " xxHash64: damaged on its way: .*"),
                logged);
    }

    @Test
    @WithJenkins
    void damagedLibraryIsNotLoaded(JenkinsRule r) throws Exception {
        Path loaded = temp.resolve("classes");
        Slave agent = InboundTransport.TCP.start(agents, r, "-Xlog:class+load:file=" + loaded);
        CodecJar jar =
                CodecJar.of(CodecLibrary.ZSTD, AgentInfo.of(agent.getChannel()).platform());
        agent.getChannel().call(new LoadCodecsCallable(CodecLibrary.ZSTD, jar.nativeCode(), jar.checksum() ^ 1));
        TransferResult result = archive(agent);
        assertTrue(Set.of("gzip", "lz4", "none").containsAll(codecs(result)), codecs(result) + "");
        assertEquals(List.of(), Transfers.loaded(loaded, ZSTD));
        assertTrue(result.unavailableCodecs.matches("zstd: damaged on its way: .*"), result.unavailableCodecs);
        assertTrue(log.toString(StandardCharsets.UTF_8).contains("damaged on its way"), log.toString());
    }

    /** 2 MiB in gzip are 0.5 MiB more than in zstd. */
    @Test
    @WithJenkins
    void slowLinkGetsLibrariesOnceZstdPaysOff(JenkinsRule r) throws Exception {
        VirtualChannel channel = InboundTransport.TCP.start(agents, r).getChannel();
        assertFalse(CodecDelivery.areTooExpensive(channel, Double.NaN, 0));
        assertFalse(CodecDelivery.areTooExpensive(channel, 400, 0));
        assertTrue(CodecDelivery.areTooExpensive(channel, 600, 1 << 20));
        assertTrue(CodecDelivery.areTooExpensive(channel, Double.NaN, 0), "the next transfer has no bootstrap calls");
        CodecDelivery.addSentBytes(channel, 1 << 20);
        assertFalse(CodecDelivery.areTooExpensive(channel, 600, 0));
    }

    private static Set<String> codecs(TransferResult result) {
        return result.codecs.stream().map(codec -> codec.codec).collect(Collectors.toSet());
    }

    /** Archives one file of 5 MB of words, which is more than bootstrap calls send. */
    private TransferResult archive(Slave agent) throws IOException, InterruptedException {
        return archive(agent, GlobalSettings.get().settings());
    }

    private TransferResult archive(Slave agent, TransferSettings settings) throws IOException, InterruptedException {
        Path workspace = Files.createDirectory(temp.resolve("workspace"));
        Random random = new Random(1);
        StringBuilder words = new StringBuilder();
        while (words.length() < 5_000_000) {
            words.append(Integer.toString(random.nextInt(40_000), 36)).append(' ');
        }
        Files.writeString(workspace.resolve("words"), words);
        UploadTransfer transfer = new UploadTransfer(
                new FilePath(agent.getChannel(), workspace.toString()),
                new PrintStream(log, true, StandardCharsets.UTF_8),
                TransferResults.running(TransferInfo.Operation.ARCHIVE));
        return transfer.archive(Map.of("words", "words"), temp.resolve("archive"), settings, null);
    }
}
