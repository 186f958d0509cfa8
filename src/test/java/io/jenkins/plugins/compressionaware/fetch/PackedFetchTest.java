package io.jenkins.plugins.compressionaware.fetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.config.GlobalSettings;
import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.run.DiskHelpers;
import io.jenkins.plugins.compressionaware.engine.send.FrameFileSink;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.VirtualFrameFile;
import io.jenkins.plugins.compressionaware.engine.tar.SeekableTar;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.transfer.PackedCopy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the packed files that fetches of the same files share. */
class PackedFetchTest extends FetchTestBase {
    private Path archive;

    @BeforeEach
    void start() throws Exception {
        usePlugin();
        start(InboundTransport.WEBSOCKET);
        archive = archiveOfTwoFiles();
    }

    private PackedCopy pack(FetchSelection files, SendOptions options, Object unshared)
            throws IOException, InterruptedException {
        VirtualFrameFile frames = new VirtualFrameFile(
                new SeekableTar(files.archive(), files.members(), false), 1 << 18, Checksum.CRC32C, DiskHelpers.NONE);
        return PackedCopy.of(
                new PackedCopy.Key(files, options, unshared),
                "agent",
                frames.wireBytes(),
                target -> FrameFileSink.store(frames, options, target));
    }

    private FetchSelection allFiles() throws IOException {
        return FetchSelection.of(archive, List.of("one.txt", "lib/two.txt"), false, false);
    }

    @Test
    void filesWhosePackedFileIsDamagedAreCopied() throws Exception {
        factory.setCodec("gzip");
        SendOptions options = GlobalSettings.get().settings().onController();
        try (PackedCopy damaged = pack(allFiles(), options, null)) {
            Files.write(damaged.file(), new byte[1]);
            WorkflowRun build = r.assertBuildStatusSuccess(run("fetchArtifacts 'source'"));
            r.assertLogContains(
                    "copied by the Copy Artifact plugin instead. Cannot read " + damaged.file() + ": ", build);
            r.assertLogContains("Copied 2 artifacts", build);
        }
    }

    @Test
    void fetchesOfSameFilesSharePackedFile() throws Exception {
        SendOptions options = new SendOptions(Codec.GZIP, 1);
        try (PackedCopy first = pack(allFiles(), options, null);
                PackedCopy unshared = pack(allFiles(), options, new Object())) {
            assertNotEquals(first.file(), unshared.file());
            Path same;
            try (PackedCopy second = pack(allFiles(), options, null)) {
                same = second.file();
                assertEquals(first.file(), same);
            }
            assertTrue(Files.exists(same));
            // after a crash, the next start deletes the files named by the journal
            Path journal = packed().resolveSibling("journal");
            List<Path> named = new ArrayList<>();
            for (String entry : FileTrees.list(journal)) {
                String path = Files.readAllLines(journal.resolve(entry)).get(0);
                named.add(r.jenkins.getRootDir().toPath().resolve(path));
            }
            assertTrue(named.contains(same), named.toString());
        }
        assertEquals(Map.of(), FileTrees.describe(packed()));
        assertEquals(Map.of(), FileTrees.describe(packed().resolveSibling("journal")));
    }

    @Test
    void archiveTooLargeForDiskIsNotPacked() {
        PackedCopy.Key key = new PackedCopy.Key("huge", new SendOptions(Codec.GZIP, 1), null);
        IOException refused =
                assertThrows(IOException.class, () -> PackedCopy.of(key, "agent", Long.MAX_VALUE / 2, null));
        assertTrue(refused.getMessage().contains(packed().toString()), refused.getMessage());
        assertFalse(refused.getMessage().contains("null"));
    }
}
