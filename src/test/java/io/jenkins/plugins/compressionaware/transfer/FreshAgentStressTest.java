package io.jenkins.plugins.compressionaware.transfer;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.jenkins.plugins.compressionaware.engine.flow.HeapBudget;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Leftovers;
import io.jenkins.plugins.compressionaware.testing.Outcome;
import io.jenkins.plugins.compressionaware.testing.jenkins.AgentInThisJvm;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Aborts or disconnects the first archives of agents at random times; each arrives whole or not at all, and leaves no staged files. */
class FreshAgentStressTest extends JenkinsTestBase {
    private static final int ROUNDS = 60;

    /** Milliseconds after which even the longest archive is complete. */
    private static final int MAX_DELAY = 400;

    private final Random random = new Random(11);
    private final AtomicReference<Throwable> unexpected = new AtomicReference<>();
    private final List<Path> workspaces = new ArrayList<>();
    private final List<Map<String, String>> names = new ArrayList<>();

    @TempDir
    private Path temp;

    @Test
    void interruptedArchiveIsWholeOrAbsent() throws Exception {
        workspace(10, 20_000);
        workspace(40, 90_000); // several calls
        workspace(10, 90_000, 2_500_000); // the engine from the start
        workspace(10, 90_000);
        names.get(3).put("zz", "missing"); // the engine after bootstrap calls
        Set<Outcome> outcomes = new TreeSet<>();
        for (int round = 0; round < ROUNDS; round++) {
            outcomes.add(round(round));
        }
        assertTrue(outcomes.contains(Outcome.WHOLE), outcomes.toString());
        assertTrue(outcomes.contains(Outcome.INTERRUPTED), outcomes.toString());
        assertEquals(0, HeapBudget.ofThisJvm().inUse());
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertEquals(List.of(), Leftovers.threads()));
    }

    private void workspace(int files, int... lengths) throws IOException {
        Path workspace = Files.createDirectory(temp.resolve("workspace" + workspaces.size()));
        for (int i = 0; i < files; i++) {
            byte[] bytes = new byte[lengths[i % lengths.length]];
            random.nextBytes(bytes);
            Path folder = Files.createDirectories(workspace.resolve("d" + i % 3));
            Files.write(folder.resolve("f" + i), bytes);
        }
        workspaces.add(workspace);
        names.add(new HashMap<>(FileTrees.names(workspace)));
    }

    private Outcome round(int round) throws Exception {
        int tree = random.nextInt(workspaces.size());
        Path archive = Files.createDirectory(temp.resolve("build" + round)).resolve("archive");
        int fate = random.nextInt(3);
        int when = random.nextInt(MAX_DELAY);
        AtomicReference<Outcome> outcome = new AtomicReference<>();
        try (AgentInThisJvm agent = new AgentInThisJvm()) {
            Thread build = new Thread(() -> outcome.set(Outcome.of(() -> archive(agent, tree, archive), unexpected)));
            build.start();
            if (fate > 0) {
                build.join(1 + when);
            }
            if (fate == 1) {
                build.interrupt();
            } else if (fate == 2) {
                agent.channel().close();
            }
            build.join(60_000);
            assertFalse(build.isAlive(), "round " + round);
        }
        if (unexpected.get() != null) {
            fail("round " + round, unexpected.get());
        }
        assertEquals(
                outcome.get() == Outcome.WHOLE ? FileTrees.describe(workspaces.get(tree)) : Map.of(),
                FileTrees.describe(archive),
                "round " + round + ": " + outcome);
        try (Stream<Path> beside = Files.list(archive.getParent())) {
            assertTrue(beside.allMatch(archive::equals), "round " + round);
        }
        return outcome.get();
    }

    private void archive(AgentInThisJvm agent, int tree, Path archive) throws IOException, InterruptedException {
        UploadTransfer transfer =
                Transfers.upload(agent.channel(), workspaces.get(tree), TransferInfo.Operation.ARCHIVE);
        Transfers.archive(transfer, names.get(tree), archive);
    }
}
