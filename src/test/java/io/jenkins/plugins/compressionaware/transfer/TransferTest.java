package io.jenkins.plugins.compressionaware.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.send.SendOptions;
import io.jenkins.plugins.compressionaware.testkit.Loopback;
import io.jenkins.plugins.compressionaware.testkit.Trees;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TransferTest {
    @TempDir
    Path tmp;

    private Path workspace;
    private Path archive;

    @BeforeEach
    void prepare() throws Exception {
        workspace = Files.createDirectory(tmp.resolve("workspace"));
        archive = tmp.resolve("archive");
    }

    @ParameterizedTest
    @EnumSource(Codec.class)
    void theTreeThatLandsIsTheTreeThatWasSent(Codec codec) throws Exception {
        write("noise.bin", Trees.noise(3_000_000));
        write("sub/folder/text.log", "all work and no play\n".repeat(100_000).getBytes(StandardCharsets.UTF_8));
        write("empty", new byte[0]);
        write("with space and ümläut/\u65e5\u672c\u8a9e.txt", new byte[] {1});
        write("n".repeat(200) + "/" + "m".repeat(200), new byte[] {2});
        Path script = write("run.sh", "#!/bin/sh\n".getBytes(StandardCharsets.UTF_8));
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-x--x"));
        Files.setLastModifiedTime(script, FileTime.from(Instant.parse("2001-02-03T04:05:06Z")));
        Files.createSymbolicLink(workspace.resolve("link"), Path.of("sub/folder/text.log"));
        Files.createSymbolicLink(workspace.resolve("dangling"), Path.of("x".repeat(150)));
        Files.createDirectory(workspace.resolve("empty folder"));

        Map<String, String> names = Trees.names(workspace);
        Loopback.Result result =
                Loopback.with(new SendOptions(codec, codec.defaultLevel())).archive(workspace, names, archive);

        assertEquals(Trees.describe(workspace), Trees.describe(archive));
        assertEquals(names.size(), result.received().entries());
        assertEquals(result.sent().wireBytes(), result.received().wireBytes());
        assertEquals(codec, result.sent().usages().get(0).choice().codec());
        assertEquals(List.of(), result.sent().unusable());
        if (codec != Codec.NONE) {
            assertTrue(result.received().wireBytes() < 3_200_000, "compressed: " + result);
        }
        assertEquals(2, Files.list(tmp).count(), "nothing is left beside the archive");
    }

    private Path write(String name, byte[] content) throws Exception {
        Path file = workspace.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.write(file, content);
    }
}
