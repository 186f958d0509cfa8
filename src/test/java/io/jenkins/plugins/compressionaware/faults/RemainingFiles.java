package io.jenkins.plugins.compressionaware.faults;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.jenkins.plugins.compressionaware.engine.packed.PackedArchive;
import io.jenkins.plugins.compressionaware.packed.Unpacker;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The files that remain after a transfer that was struck by a fault. */
record RemainingFiles(FaultScenario scenario, TransferResult.Outcome outcome) {
    /**
     * Asserts that all files are complete or unchanged. In a workspace, the file that was being written is missing.
     *
     * @param expected the files to archive, stash, unstash or fetch
     * @param stashes  the stashes before the fault
     */
    void check(Map<String, String> expected, Map<String, String> stashes) throws Exception {
        boolean complete = outcome == TransferResult.Outcome.COMPLETED;
        switch (scenario.cell.operation()) {
            case ARCHIVE -> {
                Path archive = scenario.builds.resolve("1/archive");
                assertEquals(complete ? expected : only(expected, "small"), described(archive));
            }
            case PACK -> {
                Path archive = scenario.builds.resolve("1/archive").toRealPath();
                assertEquals(List.of(PackedArchive.FOLDER), FileTrees.list(archive));
                Path unpacked = Files.createDirectory(scenario.to.resolveSibling("unpacked"));
                Unpacker.unpack(archive, unpacked);
                assertEquals(complete ? expected : only(expected, "small"), FileTrees.describe(unpacked));
            }
            case STASH -> {
                Map<String, String> now = described(scenario.builds.resolve("1/stashes"));
                assertEquals(stashes.keySet(), now.keySet());
                assertEquals(complete, !stashes.equals(now), "the stash is replaced");
            }
            default -> {
                if (complete) {
                    assertEquals(expected, FileTrees.describe(scenario.to));
                } else if (!scenario.cell.isCopiedInstead()) {
                    assertFalse(Files.exists(scenario.to.resolve("z")));
                    if (scenario.cell.fault() == Fault.AGENT_KILLED || scenario.cell.fault() == Fault.NOT_WRITABLE) {
                        // the partially written file remains
                        return;
                    }
                    assertEquals("old", Files.readString(scenario.to.resolve("small")));
                    // an agent with a frozen disk deletes files after the build has ended
                    await().atMost(FaultScenario.TIMEOUT)
                            .ignoreExceptions()
                            .until(() -> FileTrees.describe(scenario.to).size() == 1);
                }
            }
        }
    }

    static Map<String, String> described(Path folder) {
        try {
            return Files.exists(folder) ? FileTrees.describe(folder.toRealPath()) : Map.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Map<String, String> only(Map<String, String> tree, String name) {
        Map<String, String> part = new TreeMap<>(tree);
        part.keySet().retainAll(Set.of(name));
        return part;
    }
}
