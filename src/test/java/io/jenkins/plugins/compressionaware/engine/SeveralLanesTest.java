package io.jenkins.plugins.compressionaware.engine;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.LaneHook;
import io.jenkins.plugins.compressionaware.testing.Loopback;
import io.jenkins.plugins.compressionaware.testing.RandomTree;
import io.jenkins.plugins.compressionaware.testing.TestThreads;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class SeveralLanesTest {
    private static final int LANES = 4;

    @TempDir
    Path tmp;

    private Path workspace;
    private Path archive;

    @BeforeEach
    void prepare() throws Exception {
        workspace = RandomTree.create(tmp.resolve("workspace"), 3);
        archive = tmp.resolve("archive");
        Files.write(workspace.resolve("large"), FileTrees.noise(3 * Credit.WINDOW));
    }

    @ParameterizedTest
    @EnumSource(Codec.class)
    void blocksOfSeveralLanesAreReordered(Codec codec) throws Exception {
        List<AtomicLong> bytes = new ArrayList<>();
        Loopback.Result result = Loopback.with(new SendOptions(codec, codec.minLevel()))
                .over(LANES)
                .through(out -> {
                    AtomicLong count = new AtomicLong();
                    bytes.add(count);
                    return new LaneHook(out, (write, length) -> count.addAndGet(length) > 0);
                })
                .archive(workspace, FileTrees.names(workspace), archive);
        assertEquals(FileTrees.describe(workspace), FileTrees.describe(archive));
        assertEquals(
                result.sent().figures().wireBytes(),
                bytes.stream().mapToLong(AtomicLong::get).sum());
        assertTrue(bytes.stream().filter(count -> count.get() > 0).count() > 1, bytes.toString());
    }

    @Test
    void laggingLaneDoesNotStopOtherLanes() throws Exception {
        CountDownLatch othersHaveUsedTheCredit = new CountDownLatch(1);
        AtomicLong written = new AtomicLong();
        AtomicInteger made = new AtomicInteger();
        Loopback.with(new SendOptions(Codec.NONE, 0))
                .over(LANES)
                .through(out -> made.getAndIncrement() == 0
                        ? lagging(out, othersHaveUsedTheCredit)
                        : new LaneHook(out, (write, length) -> {
                            // except bytes that this lane and a waiting lane may hold
                            if (written.addAndGet(length) > Credit.WINDOW / 2) {
                                othersHaveUsedTheCredit.countDown();
                            }
                            return true;
                        }))
                .archive(workspace, FileTrees.names(workspace), archive);
        assertEquals(FileTrees.describe(workspace), FileTrees.describe(archive));
    }

    private static OutputStream lagging(OutputStream out, CountDownLatch others) {
        return new LaneHook(out, (write, length) -> {
            TestThreads.await(others);
            return true;
        });
    }

    @Test
    void brokenLaneFailsTransfer() throws Exception {
        AtomicInteger made = new AtomicInteger();
        CountDownLatch cut = new CountDownLatch(1);
        assertFails(
                "Cannot send: lane 2 is cut",
                () -> Loopback.with(new SendOptions(Codec.NONE, 0))
                        .over(LANES)
                        .through(out -> made.getAndIncrement() != 2
                                ? lagging(out, cut)
                                : new LaneHook(out, (write, length) -> {
                                    cut.countDown();
                                    throw new IOException("lane 2 is cut");
                                }))
                        .archive(workspace, FileTrees.names(workspace), archive));
        assertFalse(Files.exists(archive));
        assertEquals(1, FileTrees.list(tmp).size(), "only the workspace");
    }
}
