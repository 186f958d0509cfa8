package io.jenkins.plugins.compressionaware.agent;

import hudson.FilePath;
import hudson.model.Computer;
import hudson.remoting.Channel;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import jenkins.agents.ControllerToAgentFileCallable;
import jenkins.util.Timer;

/**
 * Runs on the agent, in the workspace, while {@link SendFiles} works there: how many bytes of tar that has to send, about. It takes a look at every
 * file, so only a transfer that takes long is asked, and most of the time this rests.
 *
 * @param id property of the agent's channel that has the files
 */
record TotalSize(String id) implements ControllerToAgentFileCallable<Long> {
    private static final Logger LOGGER = Logger.getLogger(TotalSize.class.getName());

    /** When a transfer is asked, milliseconds: shortly before its first line. */
    private static final int ASKED_AFTER = 3000;

    /** How long it looks at files, nanoseconds, and then rests, milliseconds: a twentieth of one processor, for some 20,000 files a second. */
    private static final long LOOK = TimeUnit.MILLISECONDS.toNanos(2);

    private static final int REST = 40;

    private static final int RECORD = 512;

    /** 0 if there is no such transfer, not yet or not any more. */
    @Override
    public Long invoke(File workspace, VirtualChannel channel) throws InterruptedException {
        Path base = workspace.toPath();
        long total = 0;
        long start = System.nanoTime();
        for (String path : files().values()) {
            total += size(base.resolve(path));
            if (System.nanoTime() - start >= LOOK) {
                Thread.sleep(REST);
                if (files().isEmpty()) {
                    return 0L;
                }
                start = System.nanoTime();
            }
        }
        return total;
    }

    @SuppressWarnings("unchecked")
    private Map<String, String> files() {
        Object files = Channel.currentOrFail().getProperty(id);
        return files == null ? Map.of() : (Map<String, String>) files;
    }

    /** In a tar, without what long names add. */
    private static long size(Path path) {
        try {
            BasicFileAttributes attributes =
                    Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            long content = attributes.isRegularFile() ? attributes.size() : 0;
            return RECORD + (content + RECORD - 1) / RECORD * RECORD;
        } catch (IOException e) {
            // whoever sends it will say so
            return 0;
        }
    }

    /** Asks once a transfer has run for some seconds, until there is an answer or it is closed. */
    static final class Asking implements Closeable {
        private final FilePath workspace;
        private final TotalSize question;
        private final RunningTransfer running;
        private volatile boolean closed;

        Asking(FilePath workspace, String id, RunningTransfer running) {
            this.workspace = workspace;
            this.question = new TotalSize(id);
            this.running = running;
            later();
        }

        private void later() {
            // the timer's few threads are no place to wait for an agent
            Timer.get()
                    .schedule(
                            () -> Computer.threadPoolForRemoting.execute(this::ask),
                            ASKED_AFTER,
                            TimeUnit.MILLISECONDS);
        }

        private void ask() {
            if (closed) {
                return;
            }
            try {
                long total = workspace.act(question);
                if (total > 0) {
                    running.expectRaw(total);
                } else {
                    later();
                }
            } catch (IOException | RuntimeException e) {
                LOGGER.log(Level.FINE, "It stays unknown how much there is to send", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
