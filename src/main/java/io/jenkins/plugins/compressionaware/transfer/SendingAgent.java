package io.jenkins.plugins.compressionaware.transfer;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.FilePath;
import hudson.remoting.ChannelClosedException;
import hudson.remoting.RemoteOutputStream;
import hudson.remoting.RequestAbortedException;
import io.jenkins.plugins.compressionaware.engine.adaptive.Choice;
import io.jenkins.plugins.compressionaware.engine.adaptive.Usage;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.receive.Opening;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.receive.SenderWatch;
import io.jenkins.plugins.compressionaware.agent.FirstFiles;
import io.jenkins.plugins.compressionaware.agent.Selection;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.provisioning.AgentJar;
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
final class SendingAgent implements Opening, SenderWatch, Closeable {
    /** Most bytes of names, which each call sends anew; with more, the engine is brought at once. */
    private static final int FEW_NAMES = 256 * 1024;

    /** Heap for all pieces of a call, with what each takes besides its bytes, as a multiple of the wire bytes after which the call ends. */
    private static final int CALL = FirstFiles.LONGEST + 1;

    /**
     * Least limit of a call's wire bytes: where hundreds archive at once, each has little heap, and the engine would cost all of them
     * more. A call's pieces are then 512 KiB at most.
     */
    private static final int LEAST = 128 * 1024;

    /** Most bytes of a small stash: its call holds up all others of the agent until it is packed. */
    private static final int SMALL_STASH = 1 << 20;

    /**
     * The engine is brought when the calls have taken longer than bringing it takes on a busy machine (a second), and have brought so much that its own 200 kB
     * are a small part of it, as on a slow link. Whatever then follows, this costs at most twice the best (the ski rental rule). Nanoseconds and bytes.
     */
    private static final long ENOUGH_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long ENOUGH_BYTES = 2 << 20;

    private final FilePath workspace;
    private final RunningTransfer running;
    private final Engine.Start startEngine;
    private final LongSupplier clock;
    private final long start;
    private final int level;
    private Selection left;
    private int blockSize;
    private int enough;
    private AgentCall<Void> call;
    private FirstPieces pieces;
    private long before;
    private int blocks;
    private int entries;
    private long contentBytes;
    private long wireBytes;
    private long nanos;
    // guarded by this where two threads may be at work, as is the next one: a thread that is interrupted closes this
    // while another may still wait for the channel
    private Engine engine;
    private boolean closed;

    /**
     * @param files files to send
     * @param clock nanoseconds
     */
    SendingAgent(
            FilePath workspace,
            Selection files,
            RunningTransfer running,
            Engine.Start startEngine,
            LongSupplier clock) {
        this.workspace = workspace;
        this.running = running;
        this.startEngine = startEngine;
        this.clock = clock;
        left = files;
        level = files instanceof Selection.Matching ? FirstFiles.STASH_LEVEL : FirstFiles.LEVEL;
        start = clock.getAsLong();
    }

    /**
     * Makes the first call, unless there are too many names for it. For an agent that may begin without the engine.
     *
     * @param maxBlock of the transfer, bytes
     * @param heap     that the transfer may fill, bytes
     */
    void begin(int maxBlock, long heap) throws IOException, InterruptedException {
        boolean many = left instanceof Selection.Named named && named.length() > FEW_NAMES;
        if (!many) {
            blockSize = Math.min(maxBlock, FirstFiles.BLOCK);
            enough = (int) Math.max(LEAST, Math.min(FirstFiles.ENOUGH, heap / CALL));
            AgentJar.FIRST.bring(workspace.getChannel());
            ask();
        }
    }

    private void ask() throws IOException, InterruptedException {
        pieces = new FirstPieces((long) CALL * enough);
        before = wireBytes;
        call = AgentCall.begin(workspace, question(), this::explain, false);
    }

    private String explain(Throwable failure) {
        return AgentTransfer.explain(running.transfer(), workspace, AgentCall.reason(failure));
    }

    private ControllerToAgentFileCallable<Void> question() {
        RemoteOutputStream lane = new RemoteOutputStream(pieces);
        if (left instanceof Selection.Named named) {
            return new FirstFiles(named.deflated(), named.from(), blocks, blockSize, enough, lane);
        }
        Selection.Matching files = (Selection.Matching) left;
        int most = Math.min(enough, SMALL_STASH);
        return new FirstFiles(files.antIncludes(), files.excludes(), files.useDefaultExcludes(), blockSize, most, lane);
    }

    @Override
    @CheckForNull
    public byte[] next() throws IOException, InterruptedException {
        try {
            return answered();
        } catch (ChannelClosedException | RequestAbortedException e) {
            throw new IOException(explain(e), e);
        }
    }

    @CheckForNull
    private byte[] answered() throws IOException, InterruptedException {
        while (call != null) {
            byte[] piece = pieces.next(call);
            if (piece != null) {
                running.arrived(piece.length);
                wireBytes += piece.length;
                return piece;
            }
            FirstAnswer answer = ended();
            if (answer != null) {
                goOn(answer);
            }
        }
        if (left == null) {
            throw new IOException(explain(new IOException(Messages.AgentCall_noEnd())));
        }
        begun(startEngine.start(left, wireBytes, clock.getAsLong() - start - nanos));
        return null;
    }

    private synchronized void begun(Engine started) {
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
    private FirstAnswer ended() throws IOException, InterruptedException {
        FirstAnswer answer = FirstAnswer.of(pieces.rest(), wireBytes - before);
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

    private void goOn(FirstAnswer answer) throws IOException, InterruptedException {
        left = answer.rest(left);
        if (left != null && !answer.others() && !isWorthTheEngine()) {
            ask();
        }
    }

    private boolean isWorthTheEngine() {
        return wireBytes >= ENOUGH_BYTES && clock.getAsLong() - start >= ENOUGH_NANOS;
    }

    @Override
    public void check() throws IOException, InterruptedException {
        if (engine == null) {
            throw new IOException(explain(new IOException(Messages.AgentCall_noEnd())));
        }
        engine.check();
    }

    /** The agent's report on all that it has done, once everything has arrived. */
    SendReport report(ReceiveReport received) throws IOException, InterruptedException {
        while (call != null) { // whoever takes frames stops at the last one
            if (pieces.next(call) == null) {
                ended();
            }
        }
        SendReport others = engine == null ? SendReport.NOTHING : engine.report();
        if (wireBytes == 0) {
            return others;
        }
        long raw = received.rawBytes()
                - others.usages().stream().mapToLong(Usage::rawBytes).sum();
        Choice gzip = new Choice(Codec.GZIP, level);
        return others.after(new Usage(gzip, blocks, Math.max(0, raw), wireBytes, nanos), entries, contentBytes);
    }

    /** Records the outcome for this agent and reports anything unexpected. */
    void learn(SendReport sent, PrintStream log) {
        if (engine != null) {
            engine.learn(sent, log);
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
