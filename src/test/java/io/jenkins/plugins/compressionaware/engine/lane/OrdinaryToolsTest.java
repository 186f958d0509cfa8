package io.jenkins.plugins.compressionaware.engine.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.Command;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.RandomTree;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Standard tools can open captured streams and stashes as compressed tars. */
@Timeout(60)
class OrdinaryToolsTest {
    @TempDir
    Path tmp;

    private Path workspace;

    @BeforeEach
    void prepare() throws Exception {
        workspace = RandomTree.create(tmp.resolve("workspace"), 11);
        byte[] noise = FileTrees.noise(700_000);
        Files.write(workspace.resolve("noise"), noise);
        Files.writeString(workspace.resolve("text"), "to be or not to be\n".repeat(40_000));
    }

    @ParameterizedTest
    @CsvSource({"NONE, zstd", "ZSTD, zstd", "GZIP, gzip"})
    void standardToolsOpenStreamAndStash(Codec codec, String tool) throws Exception {
        assumeTrue(
                Command.works(tool, "--version") && Command.works("tar", "--version"),
                "Untested: whether " + tool + " opens a captured stream, since it or tar is not installed");
        Map<String, String> names = FileTrees.names(workspace);
        SendOptions options = new SendOptions(codec, codec.defaultLevel());
        assertOpens(tool, Files.write(tmp.resolve("stream"), CapturedTransfer.stream(workspace, names, options)));
        if (tool.equals("zstd")) {
            assertOpens(tool, CapturedTransfer.store(workspace, names, options, tmp.resolve("x.tar.zst")));
        }
    }

    private void assertOpens(String tool, Path stream) throws Exception {
        Path tar = tmp.resolve("stream.tar");
        Path unpacked = Files.createTempDirectory(tmp, "unpacked");
        run(new ProcessBuilder(tool, "-dc").redirectInput(stream.toFile()).redirectOutput(tar.toFile()));
        run(new ProcessBuilder("tar", "-xpf", tar.toString(), "-C", unpacked.toString()));
        assertEquals(FileTrees.describe(workspace), FileTrees.describe(unpacked), stream.toString());
    }

    private void run(ProcessBuilder command) throws Exception {
        Path errors = tmp.resolve("errors");
        int exit = command.redirectError(errors.toFile()).start().waitFor();
        assertEquals(0, exit, command.command() + ": " + Files.readString(errors, StandardCharsets.UTF_8));
    }
}
