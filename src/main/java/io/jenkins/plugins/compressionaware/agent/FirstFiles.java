package io.jenkins.plugins.compressionaware.agent;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.FilePath;
import hudson.model.Computer;
import hudson.remoting.RemoteOutputStream;
import io.jenkins.plugins.compressionaware.receive.HeapBudget;
import io.jenkins.plugins.compressionaware.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.receive.TarHead;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.send.SendReport;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.zip.InflaterInputStream;

/**
 * The controller's end of a {@link HeadStart}: its bytes as a tar stream, and the moment from which on it pays to bring the engine. One thread
 * reads the stream; bytes come on the one that reads the channel, which never waits here.
 */
final class FirstFiles implements TarHead, Closeable {
    private static final Logger LOGGER = Logger.getLogger(FirstFiles.class.getName());

    /** With more files than that the engine is brought at once. */
    private static final int FEW = 2_000;

    /**
     * The engine is brought at once if much is to come, see {@link HeadStart#MUCH}. Else, as on a slow link, when the agent has sent for longer than bringing it
     * takes on a busy machine (a second), and so much that its own 200 kB are a small part of it: whatever then follows, that has cost at most twice the best (the
     * ski rental rule). Nanoseconds and bytes.
     */
    static final long ENOUGH_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long ENOUGH_BYTES = 2 << 20;

    /** How long bytes may still be on their way when the call has returned, nanoseconds. */
    private static final long LAST_BYTES = TimeUnit.MINUTES.toNanos(2);

    /** Wakes the reader. */
    private static final byte[] LOOK = {};

    private final String id = "artifact transfer " + UUID.randomUUID();
    private final BlockingQueue<byte[]> chunks = new LinkedBlockingQueue<>();
    private final RunningTransfer running;
    private final HeapBudget.Account heap;
    private final long most;
    private final Burst burst;
    private final Future<byte[]> call;
    private final Consumer<String> bringEngine;
    private final FilePath workspace;
    private final long start = System.nanoTime();
    private volatile long arrived;
    private volatile boolean muchIsToCome;
    private volatile boolean closed;

    // used by the reading thread alone, as are the next two
    private HeadStartAnswer answer;
    private long taken;
    private boolean engineIsComing;

    /**
     * Begins.
     *
     * @param workspace   on an agent
     * @param files       see {@link #join}
     * @param count       how many there are
     * @param fast        whether the link is believed to be fast, until it is seen
     * @param bringEngine called by the reading thread with what {@link SendFiles} is to take over, once or never; never if everything has come
     *     without it
     */
    FirstFiles(
            FilePath workspace,
            byte[] files,
            int count,
            boolean fast,
            RunningTransfer running,
            Consumer<String> bringEngine)
            throws IOException, InterruptedException {
        this.running = running;
        this.bringEngine = bringEngine;
        this.workspace = workspace;
        muchIsToCome = count > FEW;
        heap = HeapBudget.ofThisJvm().open(0, HeadStart.LEAST);
        most = heap.grant(0);
        burst = new Burst(System::nanoTime, fast);
        try {
            AgentJar.LITTLE.bring(workspace.getChannel());
            call = workspace.actAsync(new HeadStart(files, id, new RemoteOutputStream(new Lane()), most, fast));
        } catch (IOException | InterruptedException | RuntimeException e) {
            heap.close();
            throw e;
        }
        Computer.threadPoolForRemoting.execute(this::awaitAnswer);
    }

    /**
     * Files as they travel, see {@link HeadStart}.
     *
     * @param files name in the archive to path in the workspace
     * @return null if a name is no valid text
     */
    @CheckForNull
    static byte[] join(Map<String, String> files) {
        StringBuilder joined = new StringBuilder();
        for (Map.Entry<String, String> file : new TreeMap<>(files).entrySet()) {
            joined.append(file.getKey()).append('\0').append(file.getValue()).append('\0');
        }
        byte[] bytes = joined.toString().getBytes(StandardCharsets.UTF_8);
        long ends = joined.chars().filter(c -> c == 0).count();
        boolean valid = ends == 2L * files.size() && new String(bytes, StandardCharsets.UTF_8).contentEquals(joined);
        return valid ? bytes : null;
    }

    private void awaitAnswer() {
        try {
            call.get();
        } catch (InterruptedException | ExecutionException | CancellationException e) {
            // the reader asks again
        } finally {
            chunks.add(LOOK);
        }
    }

    /**
     * What the agent has done in all.
     *
     * @param engine what its engine says; {@link SendReport#NOTHING} if none was needed
     */
    SendReport before(SendReport engine, ReceiveReport received) {
        long own = Math.max(0, received.contentBytes() - engine.contentBytes());
        return engine.after(answer.usages(own, taken), Math.max(0, received.entries() - engine.entries()));
    }

    /** See {@link HeadStartAnswer#nanosPerByte}. */
    double nanosPerByte() {
        return answer.nanosPerByte();
    }

    @Override
    public InputStream tar() {
        return new InflaterInputStream(new Chunks());
    }

    @Override
    public boolean isAll() throws IOException {
        while (answer == null) {
            next();
        }
        return answer.all();
    }

    @Override
    public long wireBytes() {
        return taken;
    }

    /** Refuses what still comes and ends the agent's call, by another thread: that is a write to the channel. */
    @Override
    public void close() {
        closed = true;
        heap.close();
        if (!call.isDone()) {
            Computer.threadPoolForRemoting.execute(() -> call.cancel(true));
        }
    }

    /** Called by the thread that reads the channel. */
    private final class Lane extends OutputStream {
        @Override
        public void flush() {
            muchIsToCome = true;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            if (closed) {
                throw new IOException("The transfer is over");
            }
            if (arrived + length > most) {
                throw new IOException("The sender sends more than agreed");
            }
            arrived += length;
            if (burst.isFirstFast(arrived)) {
                Computer.threadPoolForRemoting.execute(FirstFiles.this::tellOfFastLink);
            }
            running.arrived(length);
            chunks.add(Arrays.copyOfRange(bytes, offset, offset + length));
        }
    }

    private void tellOfFastLink() {
        try {
            workspace.actAsync(new HeadStart(id));
        } catch (IOException | RuntimeException e) { // the transfer goes on, a little slower, or fails by itself
            LOGGER.log(Level.FINE, e, () -> "Cannot tell " + workspace + " of its link");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private final class Chunks extends InputStream {
        private byte[] current = LOOK;
        private int position;

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            while (position == current.length) {
                current = next();
                position = 0;
                if (current == null) {
                    current = LOOK;
                    return -1;
                }
            }
            int n = Math.min(length, current.length - position);
            System.arraycopy(current, position, target, offset, n);
            position += n;
            return n;
        }
    }

    /** The next bytes, perhaps none; null at the end. */
    private byte[] next() throws IOException {
        if (answer != null && taken == answer.onLane() + answer.rest().length) {
            heap.close();
            return null;
        }
        byte[] chunk = answer != null && taken == answer.onLane() ? answer.rest() : take();
        if (chunk == LOOK) {
            lookForAnswer();
        }
        taken += chunk.length;
        if (!engineIsComing && (answer != null ? !answer.all() : isWorthTheEngine())) {
            engineIsComing = true;
            bringEngine.accept(id);
        }
        return chunk;
    }

    private boolean isWorthTheEngine() {
        return muchIsToCome || arrived >= ENOUGH_BYTES && System.nanoTime() - start >= ENOUGH_NANOS;
    }

    private byte[] take() throws IOException {
        try {
            byte[] chunk = answer == null ? chunks.take() : chunks.poll(LAST_BYTES, TimeUnit.NANOSECONDS);
            if (chunk == null) {
                throw new IOException(Messages.AgentCall_noEnd());
            }
            return chunk;
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private void lookForAnswer() throws IOException {
        try {
            byte[] bytes = call.get();
            answer = HeadStartAnswer.of(bytes);
            running.arrived(answer.rest().length);
        } catch (InterruptedException e) {
            throw interrupted(e);
        } catch (ExecutionException e) {
            throw new IOException(
                    AgentTransfer.explain(running.transfer(), workspace, AgentCall.reason(e.getCause())), e.getCause());
        }
    }

    private static IOException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return (IOException) new InterruptedIOException("Interrupted while receiving").initCause(e);
    }
}
