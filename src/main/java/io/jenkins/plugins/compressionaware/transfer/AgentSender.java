package io.jenkins.plugins.compressionaware.transfer;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.FilePath;
import hudson.remoting.ChannelClosedException;
import hudson.remoting.RemoteOutputStream;
import hudson.remoting.RequestAbortedException;
import io.jenkins.plugins.compressionaware.agent.BootstrapArchiveCallable;
import io.jenkins.plugins.compressionaware.agent.FileSelection;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecUsage;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.receive.BootstrapFrames;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.receive.SenderLiveness;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.provisioning.AgentJar;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import java.io.Closeable;
import java.io.IOException;
import java.io.PrintStream;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import jenkins.agents.ControllerToAgentFileCallable;

/**
 * The sending end of a transfer, as the controller sees it. An agent without the engine is asked for its first files, call by call, until nothing is left
 * or the engine pays, which goes on from there. Used by one thread; any may close it.
 */
final class AgentSender implements BootstrapFrames, SenderLiveness, Closeable {
    /** Most bytes of names, which each call sends anew; with more, the engine is brought at once. */
    private static final int MAX_NAME_BYTES = 256 * 1024;

    /** Heap for all pieces of a call, with what each takes besides its bytes, as a multiple of the wire bytes after which the call ends. */
    private static final int HEAP_FACTOR = BootstrapArchiveCallable.MAX_OVERSHOOT + 1;

    /**
     * Least limit of a call's wire bytes: where hundreds archive at once, each has little heap, and the engine would cost all of them
     * more. A call's pieces are then 512 KiB at most.
     */
    private static final int MIN_CALL_BYTES = 128 * 1024;

    /** Most bytes of a small stash: its call holds up all others of the agent until it is packed. */
    private static final int MAX_STASH_BYTES = 1 << 20;

    /**
     * The engine is brought when the calls have taken longer than bringing it takes on a busy machine (a second), and have brought so much that its own 200 kB
     * are a small part of it, as on a slow link. Whatever then follows, this costs at most twice the best (the ski rental rule). Nanoseconds and bytes.
     */
    private static final long ENOUGH_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long ENOUGH_BYTES = 2 << 20;

    private final FilePath workspace;
    private final RunningTransfer running;
    private final EngineSession.Starter startEngine;
    private final LongSupplier clock;
    private final long start;
    private final int level;
    private FileSelection left;
    private int blockSize;
    private int enough;
    private AgentCall<Void> call;
    private BootstrapFrameBuffer pieces;
    private long before;
    private int blocks;
    private int entries;
    private long contentBytes;
    private long wireBytes;
    private long nanos;
    // guarded by this where two threads may be at work, as is the next one: a thread that is interrupted closes this
    // while another may still wait for the channel
    private EngineSession engine;
    private boolean closed;

    /**
     * @param files files to send
     * @param clock nanoseconds
     */
    AgentSender(
            FilePath workspace,
            FileSelection files,
            RunningTransfer running,
            EngineSession.Starter startEngine,
            LongSupplier clock) {
        this.workspace = workspace;
        this.running = running;
        this.startEngine = startEngine;
        this.clock = clock;
        left = files;
        level = files instanceof FileSelection.ByPattern
                ? BootstrapArchiveCallable.STASH_LEVEL
                : BootstrapArchiveCallable.LEVEL;
        start = clock.getAsLong();
    }

    /**
     * Makes the first call, unless there are too many names for it. For an agent that may begin without the engine.
     *
     * @param maxBlock of the transfer, bytes
     * @param heap     that the transfer may fill, bytes
     */
    void begin(int maxBlock, long heap) throws IOException, InterruptedException {
        boolean many = left instanceof FileSelection.ByName named && named.length() > MAX_NAME_BYTES;
        if (!many) {
            blockSize = Math.min(maxBlock, BootstrapArchiveCallable.BLOCK);
            enough = (int)
                    Math.max(MIN_CALL_BYTES, Math.min(BootstrapArchiveCallable.TARGET_WIRE_BYTES, heap / HEAP_FACTOR));
            AgentJar.BOOTSTRAP.preload(workspace.getChannel());
            callAgent();
        }
    }

    private void callAgent() throws IOException, InterruptedException {
        pieces = new BootstrapFrameBuffer((long) HEAP_FACTOR * enough);
        before = wireBytes;
        call = AgentCall.start(workspace, question(), this::explain, false);
    }

    private String explain(Throwable failure) {
        return UploadTransfer.explain(running.transfer(), workspace, AgentCall.describe(failure));
    }

    private ControllerToAgentFileCallable<Void> question() {
        RemoteOutputStream lane = new RemoteOutputStream(pieces);
        if (left instanceof FileSelection.ByName named) {
            return new BootstrapArchiveCallable(named.deflated(), named.from(), blocks, blockSize, enough, lane);
        }
        FileSelection.ByPattern files = (FileSelection.ByPattern) left;
        int most = Math.min(enough, MAX_STASH_BYTES);
        return new BootstrapArchiveCallable(
                files.antIncludes(), files.excludes(), files.useDefaultExcludes(), blockSize, most, lane);
    }

    @Override
    @CheckForNull
    public byte[] next() throws IOException, InterruptedException {
        try {
            return nextFrames();
        } catch (ChannelClosedException | RequestAbortedException e) {
            throw new IOException(explain(e), e);
        }
    }

    @CheckForNull
    private byte[] nextFrames() throws IOException, InterruptedException {
        while (call != null) {
            byte[] piece = pieces.nextFrames(call);
            if (piece != null) {
                running.addChannelBytes(piece.length);
                wireBytes += piece.length;
                return piece;
            }
            BootstrapResult answer = readResult();
            if (answer != null) {
                continueFrom(answer);
            }
        }
        if (left == null) {
            throw new IOException(explain(new IOException(Messages.AgentCall_noEnd())));
        }
        engineStarted(startEngine.start(left, wireBytes, clock.getAsLong() - start - nanos));
        return null;
    }

    private synchronized void engineStarted(EngineSession started) {
        engine = started;
        if (closed) {
            started.close();
        }
    }

    /**
     * The answer of a call that has sent its last piece; null if the engine has to do everything.
     *
     * @throws IOException why the call has failed
     */
    @CheckForNull
    private BootstrapResult readResult() throws IOException, InterruptedException {
        BootstrapResult answer = BootstrapResult.of(pieces.trailer(), wireBytes - before);
        if (answer == null) {
            call.report();
        } else {
            blocks = answer.blocks();
            entries += answer.entries();
            contentBytes += answer.contentBytes();
            nanos += answer.nanos();
        }
        call = null;
        return answer;
    }

    private void continueFrom(BootstrapResult answer) throws IOException, InterruptedException {
        left = answer.remaining(left);
        if (left != null && !answer.needsEngine() && !isWorthTheEngine()) {
            callAgent();
        }
    }

    private boolean isWorthTheEngine() {
        return wireBytes >= ENOUGH_BYTES && clock.getAsLong() - start >= ENOUGH_NANOS;
    }

    @Override
    public void checkAlive() throws IOException, InterruptedException {
        if (engine == null) {
            throw new IOException(explain(new IOException(Messages.AgentCall_noEnd())));
        }
        engine.checkAlive();
    }

    /** The agent's report on all that it has done, once everything has arrived. */
    SendReport report(ReceiveReport received) throws IOException, InterruptedException {
        while (call != null) { // whoever takes frames stops at the last one
            if (pieces.nextFrames(call) == null) {
                readResult();
            }
        }
        SendReport others = engine == null ? SendReport.NOTHING : engine.report();
        if (wireBytes == 0) {
            return others;
        }
        long raw = received.rawBytes()
                - others.usages().stream().mapToLong(CodecUsage::rawBytes).sum();
        CodecLevel gzip = new CodecLevel(Codec.GZIP, level);
        return others.plusEarlier(
                new CodecUsage(gzip, blocks, Math.max(0, raw), wireBytes, nanos), entries, contentBytes);
    }

    /** Records the outcome for this agent and reports anything unexpected. */
    void learn(SendReport sent, PrintStream log) {
        if (engine != null) {
            engine.recordOutcome(sent, log);
        }
    }

    /** Ends what still runs on the agent. */
    @Override
    public synchronized void close() {
        closed = true;
        if (pieces != null) { // its call then ends soon by itself
            pieces.close();
        }
        if (engine != null) {
            engine.close();
        }
    }
}
