package io.jenkins.plugins.compressionaware.transfer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
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
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import jenkins.agents.ControllerToAgentFileCallable;

/**
 * The controller's view of the sending agent. An agent without the engine sends its first files through bootstrap calls until no files remain or loading the
 * engine pays off; the engine then sends the rest. Used by one thread, but any thread may close it.
 */
final class AgentSender implements BootstrapFrames, SenderLiveness, Closeable {
    /** Maximum bytes of names, because each bootstrap call sends all names again. With more names, the engine sends all files. */
    private static final int MAX_NAME_BYTES = 256 * 1024;

    /** Heap for the frames of a call, as a multiple of the call's target in wire bytes, which the frames may exceed. */
    private static final int HEAP_FACTOR = BootstrapArchiveCallable.MAX_OVERSHOOT + 1;

    /** Minimum wire bytes per call, even if hundreds of builds share the heap, because loading the engine would cost all of them more. */
    private static final int MIN_CALL_BYTES = 128 * 1024;

    /** Maximum size of a small stash, bytes, because its call blocks all other calls of the agent until it is packed. */
    private static final int MAX_STASH_BYTES = 1 << 20;

    /**
     * Time and bytes of bootstrap calls after which the engine is loaded: longer than loading takes on a busy machine, and many times the engine's 200 kB.
     * Loading the engine only then costs at most twice the optimum (the ski rental problem).
     */
    private static final long ENGINE_AFTER_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long ENGINE_AFTER_BYTES = 2 << 20;

    private final FilePath workspace;
    private final RunningTransfer running;
    private final EngineSession.Starter startEngine;
    private final LongSupplier clock;
    private final long start;
    private final int level;
    private FileSelection remaining;
    private int blockSize;
    private int targetWireBytes;
    private AgentCall<Void> call;
    private long wireBytesBefore;
    private int blocks;
    private int entries;
    private long contentBytes;
    private long wireBytes;
    private long nanos;
    // assigned under the lock by the thread that uses them, because an interrupted thread closes this object while that
    // thread may still wait for the channel
    private BootstrapFrameBuffer frameBuffer;
    private EngineSession engine;

    @GuardedBy("this")
    private boolean closed;

    /** @param clock returns nanoseconds */
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
        remaining = files;
        level = files instanceof FileSelection.ByPattern
                ? BootstrapArchiveCallable.STASH_LEVEL
                : BootstrapArchiveCallable.LEVEL;
        start = clock.getAsLong();
    }

    /**
     * Starts the first bootstrap call, unless there are too many names. Only for an agent without the engine.
     *
     * @param maxBlock maximum block size of the transfer, bytes
     * @param heap heap that the transfer may fill, bytes
     */
    void begin(int maxBlock, long heap) throws IOException, InterruptedException {
        boolean many = remaining instanceof FileSelection.ByName named && named.length() > MAX_NAME_BYTES;
        if (!many) {
            blockSize = Math.min(maxBlock, BootstrapArchiveCallable.BLOCK);
            targetWireBytes = (int)
                    Math.max(MIN_CALL_BYTES, Math.min(BootstrapArchiveCallable.TARGET_WIRE_BYTES, heap / HEAP_FACTOR));
            AgentJar.BOOTSTRAP.preload(workspace.getChannel());
            callAgent();
        }
    }

    private void callAgent() throws IOException, InterruptedException {
        openFrameBuffer();
        wireBytesBefore = wireBytes;
        call = AgentCall.start(workspace, newCallable(), this::explain, false);
    }

    private synchronized void openFrameBuffer() {
        frameBuffer = new BootstrapFrameBuffer((long) HEAP_FACTOR * targetWireBytes);
        if (closed) {
            frameBuffer.close();
        }
    }

    private String explain(Throwable failure) {
        return UploadTransfer.explain(running.transfer(), workspace, AgentCall.describe(failure));
    }

    private IOException noEnd() {
        IOException reason = new IOException(Messages.AgentCall_noEnd());
        return new ExplainedException(explain(reason), reason);
    }

    private ControllerToAgentFileCallable<Void> newCallable() {
        RemoteOutputStream lane = new RemoteOutputStream(frameBuffer);
        if (remaining instanceof FileSelection.ByName named) {
            return new BootstrapArchiveCallable(
                    named.deflated(), named.from(), blocks, blockSize, targetWireBytes, lane);
        }
        FileSelection.ByPattern files = (FileSelection.ByPattern) remaining;
        int most = Math.min(targetWireBytes, MAX_STASH_BYTES);
        return new BootstrapArchiveCallable(
                files.antIncludes(), files.excludes(), files.useDefaultExcludes(), blockSize, most, lane);
    }

    @Override
    @CheckForNull
    public byte[] next() throws IOException, InterruptedException {
        try {
            return nextFrames();
        } catch (ChannelClosedException | RequestAbortedException e) {
            throw new ExplainedException(explain(e), e);
        }
    }

    @CheckForNull
    private byte[] nextFrames() throws IOException, InterruptedException {
        while (call != null) {
            byte[] frames = frameBuffer.nextFrames(call);
            if (frames != null) {
                running.addChannelBytes(frames.length);
                wireBytes += frames.length;
                return frames;
            }
            BootstrapResult result = readResult();
            if (result != null) {
                remaining = result.remaining(remaining);
                if (remaining != null && !result.needsEngine() && !isWorthTheEngine()) {
                    callAgent();
                }
            }
        }
        if (remaining == null) {
            throw noEnd();
        }
        engineStarted(startEngine.start(remaining, wireBytes, clock.getAsLong() - start - nanos));
        return null;
    }

    private synchronized void engineStarted(EngineSession started) {
        engine = started;
        if (closed) {
            started.close();
        }
    }

    /**
     * Returns the result of a completed call; null if the engine must send everything.
     *
     * @throws IOException if the call failed
     */
    @CheckForNull
    private BootstrapResult readResult() throws IOException, InterruptedException {
        BootstrapResult result = BootstrapResult.of(frameBuffer.trailer(), wireBytes - wireBytesBefore);
        if (result == null) {
            call.report();
        } else {
            blocks = result.blocks();
            entries += result.entries();
            contentBytes += result.contentBytes();
            nanos += result.nanos();
        }
        call = null;
        return result;
    }

    private boolean isWorthTheEngine() {
        return wireBytes >= ENGINE_AFTER_BYTES && clock.getAsLong() - start >= ENGINE_AFTER_NANOS;
    }

    @Override
    public void checkAlive() throws IOException, InterruptedException {
        if (engine == null) {
            throw noEnd();
        }
        engine.checkAlive();
    }

    /** Returns the report on everything that the agent sent, after everything has arrived. */
    SendReport report(ReceiveReport received) throws IOException, InterruptedException {
        while (call != null) { // the receiver stops at the end frame
            if (frameBuffer.nextFrames(call) == null) {
                readResult();
            }
        }
        SendReport engineReport = engine == null
                ? SendReport.NOTHING
                : engine.report(received.wireBytes() - wireBytes, () -> clock.getAsLong() - start);
        if (wireBytes == 0) {
            return engineReport;
        }
        long raw = received.rawBytes()
                - engineReport.usages().stream().mapToLong(CodecUsage::rawBytes).sum();
        CodecLevel gzip = new CodecLevel(Codec.GZIP, level);
        return engineReport.plusEarlier(
                new CodecUsage(gzip, blocks, Math.max(0, raw), wireBytes, nanos), entries, contentBytes);
    }

    /** Stops the call or the engine on the agent. */
    @Override
    public synchronized void close() {
        closed = true;
        if (frameBuffer != null) { // a bootstrap call then fails at its next write
            frameBuffer.close();
        }
        if (engine != null) {
            engine.close();
        }
    }
}
