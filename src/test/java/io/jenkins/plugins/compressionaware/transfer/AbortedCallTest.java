package io.jenkins.plugins.compressionaware.transfer;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.FilePath;
import hudson.model.Slave;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.engine.run.AgentEnd;
import io.jenkins.plugins.compressionaware.provisioning.AgentInfo;
import io.jenkins.plugins.compressionaware.provisioning.AgentJar;
import io.jenkins.plugins.compressionaware.testing.jenkins.AgentInThisJvm;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.io.File;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.util.EnumSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import jenkins.agents.ControllerToAgentFileCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Aborts a transfer while one of its calls is being sent. */
@Timeout(180)
class AbortedCallTest extends JenkinsTestBase {
    private static final int ID = 67;

    private static volatile CountDownLatch half;
    private static volatile CountDownLatch rest;
    private static volatile boolean interrupted;

    @BeforeEach
    void prepare() {
        half = new CountDownLatch(1);
        rest = new CountDownLatch(1);
    }

    /** Is serialized in two halves. */
    private static class Large implements ControllerToAgentFileCallable<Void> {
        private static final long serialVersionUID = 1;

        private void writeObject(ObjectOutputStream out) throws IOException {
            half.countDown();
            try {
                rest.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
            out.defaultWriteObject();
        }

        @Override
        public Void invoke(File folder, VirtualChannel channel) throws InterruptedException {
            return null;
        }
    }

    private static final class Endless extends Large {
        private static final long serialVersionUID = 1;

        @Override
        public Void invoke(File folder, VirtualChannel channel) throws InterruptedException {
            new CountDownLatch(1).await();
            return null;
        }
    }

    /** Aborts a call that is half sent, and sends the rest once the caller has returned. */
    private static void abort(FilePath root, Large call) throws InterruptedException {
        CountDownLatch over = new CountDownLatch(1);
        Thread aborted = new Thread(() -> {
            assertThrows(InterruptedException.class, () -> AgentCall.start(root, call, AgentCall::describe, ID));
            over.countDown();
        });
        aborted.start();
        half.await();
        aborted.interrupt();
        over.await(20, TimeUnit.SECONDS);
        rest.countDown();
        assertEquals(0, over.getCount());
    }

    @Test
    void abortedCallIsSentToItsEnd() throws Exception {
        Slave agent = r.createOnlineSlave();
        FilePath root = agent.getRootPath();
        abort(root, new Large());
        assertEquals(
                "still there",
                AgentCall.start(root, new Answer(), AgentCall::describe, 1).report());
        assertFalse(interrupted);
    }

    /** The agent would go on for a build that is over. */
    @Test
    void abortedCallIsCancelledOnceItIsSent() throws Exception {
        try (AgentEnd end = AgentEnd.begin(ID);
                AgentInThisJvm agent = new AgentInThisJvm()) {
            abort(new FilePath(agent.channel(), "/"), new Endless());
            end.follow(() -> new long[3]);
            assertThrows(InterruptedException.class, () -> new CountDownLatch(1).await(20, TimeUnit.SECONDS));
        }
    }

    /** A thread that writes to the channel holds its lock, and blocks if the agent does not read. */
    @Test
    void abortDoesNotWaitForBlockedChannel() throws Exception {
        VirtualChannel channel = r.createOnlineSlave().getChannel();
        AgentJar.ENGINE.preload(channel);
        CountDownLatch over = new CountDownLatch(1);
        Thread aborted = new Thread(() -> {
            assertThrows(InterruptedException.class, () -> AgentInfo.of(channel));
            over.countDown();
        });
        synchronized (channel) {
            aborted.start();
            await().until(() ->
                    EnumSet.of(Thread.State.TIMED_WAITING, Thread.State.BLOCKED).contains(aborted.getState()));
            aborted.interrupt();
            assertTrue(over.await(20, TimeUnit.SECONDS));
        }
    }

    private static final class Answer implements ControllerToAgentFileCallable<String> {
        private static final long serialVersionUID = 1;

        @Override
        public String invoke(File folder, VirtualChannel channel) {
            return "still there";
        }
    }
}
