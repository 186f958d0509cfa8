package io.jenkins.plugins.compressionaware.transfer;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.FilePath;
import hudson.model.Slave;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.provisioning.AgentInfo;
import io.jenkins.plugins.compressionaware.provisioning.AgentJar;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.io.File;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.util.EnumSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import jenkins.agents.ControllerToAgentFileCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Aborts a transfer while one of its calls is being sent. */
@Timeout(180)
class AbortedCallTest extends JenkinsTestBase {
    private static final CountDownLatch HALF = new CountDownLatch(1);
    private static final CountDownLatch REST = new CountDownLatch(1);
    private static volatile boolean interrupted;

    /** Is serialized in two halves. */
    private static final class Large implements ControllerToAgentFileCallable<Void> {
        private static final long serialVersionUID = 1;

        private void writeObject(ObjectOutputStream out) throws IOException {
            HALF.countDown();
            try {
                REST.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
            out.defaultWriteObject();
        }

        @Override
        public Void invoke(File folder, VirtualChannel channel) {
            return null;
        }
    }

    @Test
    void abortedCallIsSentToItsEnd() throws Exception {
        Slave agent = r.createOnlineSlave();
        FilePath root = agent.getRootPath();
        CountDownLatch over = new CountDownLatch(1);
        Thread aborted = new Thread(() -> {
            assertThrows(InterruptedException.class, () -> AgentCall.start(root, new Large(), AgentCall::describe, 1));
            over.countDown();
        });
        aborted.start();
        HALF.await();

        aborted.interrupt();
        over.await(20, TimeUnit.SECONDS);
        REST.countDown();

        assertEquals(0, over.getCount());
        assertEquals(
                "still there",
                AgentCall.start(root, new Answer(), AgentCall::describe, 1).report());
        assertFalse(interrupted);
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
