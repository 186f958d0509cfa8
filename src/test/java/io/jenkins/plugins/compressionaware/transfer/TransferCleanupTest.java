package io.jenkins.plugins.compressionaware.transfer;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.FilePath;
import hudson.remoting.Pipe;
import hudson.remoting.RemoteOutputStream;
import io.jenkins.plugins.compressionaware.agent.FileSelection;
import io.jenkins.plugins.compressionaware.agent.UploadCallable;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.CodecLibrary;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.provisioning.AgentInfo;
import io.jenkins.plugins.compressionaware.provisioning.CodecDelivery;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferResults;
import io.jenkins.plugins.compressionaware.testing.Leftovers;
import io.jenkins.plugins.compressionaware.testing.TestThreads;
import io.jenkins.plugins.compressionaware.testing.jenkins.AgentInThisJvm;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import io.jenkins.plugins.compressionaware.testing.jenkins.RecordingTransferListener;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An ended transfer holds no threads and is not listed as running. */
class TransferCleanupTest extends JenkinsTestBase {
    @TempDir
    Path temp;

    private UploadTransfer transfer(AgentInThisJvm agent) throws Exception {
        Path workspace = temp.resolve("workspace");
        Files.createDirectories(workspace);
        Files.writeString(workspace.resolve("file"), "content");
        return new UploadTransfer(
                new FilePath(agent.channel(), workspace.toString()),
                System.out,
                RunningTransfer.start(TransferResults.transfer(TransferInfo.Operation.ARCHIVE), System.out));
    }

    /** The agent answers pings, but no calls. */
    @Test
    void abortReleasesThreadsThatWaitForSilentAgent() throws Exception {
        try (AgentInThisJvm agent = new AgentInThisJvm()) {
            for (int i = 0; i < 5; i++) { // until the round trip needs no further measurement
                AgentInfo.of(agent.channel());
            }
            CodecDelivery.deliver(agent.channel(), AgentInfo.of(agent.channel()).platform(), CodecLibrary.ZSTD);
            agent.fallSilent();
            UploadTransfer transfer = transfer(agent);
            Thread build = new Thread(() -> assertThrows(
                    InterruptedException.class,
                    () -> Transfers.archive(transfer, Map.of("file", "file"), temp.resolve("archive"))));
            build.start();
            build.join(5_000);
            assertTrue(build.isAlive());
            build.interrupt();
            build.join();
            await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> assertEquals(List.of(), Leftovers.threads()));
        }
    }

    /** A JVM of an agent outlives its channel: it connects again. Remoting does not wake a thread that waits for the controller to read. */
    @Test
    void lostChannelEndsWritesOfAgent() throws Exception {
        Path workspace = Files.createDirectory(temp.resolve("workspace"));
        Files.write(workspace.resolve("file"), new byte[5 << 20]);
        CountDownLatch over = new CountDownLatch(1);
        try (AgentInThisJvm agent = new AgentInThisJvm()) {
            OutputStream unread = new OutputStream() {
                @Override
                public void write(int b) throws IOException {
                    TestThreads.await(over);
                }
            };
            UploadCallable send = new UploadCallable(
                    FileSelection.ByName.of(Map.of("file", "file")),
                    new SendOptions(Codec.NONE, 0),
                    new ArrayList<>(List.of(new RemoteOutputStream(unread))),
                    Pipe.createLocalToRemote(),
                    Credit.WINDOW,
                    0,
                    0,
                    0,
                    0,
                    1,
                    null,
                    null,
                    1);
            new FilePath(agent.channel(), workspace.toString()).actAsync(send);
            await().until(() -> Leftovers.threads().stream().anyMatch(thread -> thread.contains("PipeWindow")));
        } finally {
            over.countDown();
        }
        await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> assertEquals(List.of(), Leftovers.threads()));
    }

    @Test
    void transferThatCannotStartIsReportedAsFailed() throws Exception {
        RecordingTransferListener listener = RecordingTransferListener.listen();
        try (AgentInThisJvm agent = new AgentInThisJvm()) {
            UploadTransfer transfer = transfer(agent);
            assertThrows(NullPointerException.class, () -> Transfers.archive(transfer, Map.of("file", "file"), null));
        }
        assertEquals(1, listener.started.size());
        assertEquals(1, listener.failed.size());
    }
}
