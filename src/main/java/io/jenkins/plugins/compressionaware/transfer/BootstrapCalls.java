package io.jenkins.plugins.compressionaware.transfer;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.remoting.ChannelClosedException;
import hudson.remoting.RemoteOutputStream;
import hudson.remoting.RequestAbortedException;
import io.jenkins.plugins.compressionaware.agent.BootstrapArchiveCallable;
import io.jenkins.plugins.compressionaware.agent.FileSelection;
import io.jenkins.plugins.compressionaware.config.TransferSettings.DirectLane;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecUsage;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.receive.Receiver;
import io.jenkins.plugins.compressionaware.engine.send.CompressionMode;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.provisioning.AgentInfo;
import io.jenkins.plugins.compressionaware.provisioning.AgentJar;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import jenkins.agents.ControllerToAgentFileCallable;

/**
 * Bootstrap calls to an agent without the engine, which send its first files until no files remain or loading the engine pays off. Their frames arrive in the
 * same receiver as those of the engine, which goes on with the next number. Used by one thread.
 */
final class BootstrapCalls {
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

    /** Maximum number of calls, because an agent may keep the lane of each, and may complete a single byte of the names with each. */
    private static final int MAX_CALLS = 100;

    private final Upload upload;
    private final Receiver receiver;
    private final FileSelection files;
    private final long start;
    private int calls;
    private long wireBytes;
    private long blocks;
    private int entries;
    private long contentBytes;
    private long nanos;

    BootstrapCalls(Upload upload, Receiver receiver, FileSelection files) {
        this.upload = upload;
        this.receiver = receiver;
        this.files = files;
        start = upload.clock().getAsLong();
    }

    /** Returns whether calls may send the first files. A codec or lane that was chosen applies to all files, and only the engine makes deltas. */
    private boolean canSend() {
        return upload.reference() == null
                && upload.options().compression() instanceof CompressionMode.Auto
                && upload.settings().directLane() != DirectLane.REQUIRED
                && !(files instanceof FileSelection.ByName named && named.length() > MAX_NAME_BYTES)
                && !AgentInfo.hasEngine(upload.workspace().getChannel());
    }

    /** Sends files with one call after the other. Returns the files that the engine must send; null if none remain. */
    @CheckForNull
    FileSelection send() throws IOException, InterruptedException {
        if (!canSend()) {
            return files;
        }
        AgentJar.BOOTSTRAP.preload(upload.workspace().getChannel());
        FileSelection rest = files;
        boolean needsEngine = false;
        try {
            while (rest != null && !needsEngine && !isEngineDue(calls++, wireBytes, elapsedNanos())) {
                BootstrapResult result = call(rest);
                needsEngine = result == null || result.needsEngine();
                rest = result == null ? rest : result.remaining(rest);
            }
        } catch (ChannelClosedException | RequestAbortedException e) {
            throw new ExplainedException(explain(e), e);
        }
        return rest;
    }

    /** Makes a call and returns its result; null if the call sent nothing, so that the engine must send everything. */
    @CheckForNull
    private BootstrapResult call(FileSelection rest) throws IOException, InterruptedException {
        // the frames of the call must fit into the window
        receiver.awaitEmpty();
        long heap = receiver.inbox().credit() - receiver.inbox().heap();
        int target = (int)
                Math.max(MIN_CALL_BYTES, Math.min(BootstrapArchiveCallable.TARGET_WIRE_BYTES, heap / HEAP_FACTOR));
        BootstrapLane lane = new BootstrapLane(
                receiver.inbox().newSequentialLane(), upload.running()::addChannelBytes, receiver::wake);
        AgentCall<Void> call = AgentCall.start(upload.workspace(), callable(rest, target, lane), this::explain, 0);
        call.limit(SilenceLimit.withoutQueries(upload.running()::idleNanos));
        receiver.await(lane::isClosed, call);
        wireBytes += lane.wireBytes();
        BootstrapResult result = BootstrapResult.of(lane.result(), lane.wireBytes());
        if (result == null) {
            call.report();
        } else {
            blocks = receiver.inbox().frames();
            entries += result.entries();
            contentBytes += result.contentBytes();
            nanos += result.nanos();
        }
        return result;
    }

    private ControllerToAgentFileCallable<Void> callable(FileSelection rest, int targetWireBytes, BootstrapLane lane) {
        int blockSize = Math.min(upload.options().blockSize(), BootstrapArchiveCallable.BLOCK);
        RemoteOutputStream out = new RemoteOutputStream(lane);
        if (rest instanceof FileSelection.ByName named) {
            int next = (int) receiver.inbox().frames();
            return new BootstrapArchiveCallable(named.deflated(), named.from(), next, blockSize, targetWireBytes, out);
        }
        FileSelection.ByPattern stash = (FileSelection.ByPattern) rest;
        int most = Math.min(targetWireBytes, MAX_STASH_BYTES);
        return new BootstrapArchiveCallable(
                stash.antIncludes(), stash.excludes(), stash.useDefaultExcludes(), blockSize, most, out);
    }

    /** Returns whether the engine must send what remains after so many calls. */
    static boolean isEngineDue(int calls, long wireBytes, long nanos) {
        return calls == MAX_CALLS || wireBytes >= ENGINE_AFTER_BYTES && nanos >= ENGINE_AFTER_NANOS;
    }

    private String explain(Throwable failure) {
        return upload.explain(AgentCall.describe(failure));
    }

    /** Fails a transfer that waits for frames although the calls have sent everything. */
    void checkAlive() throws IOException {
        IOException reason = AgentCall.noEnd();
        throw new ExplainedException(explain(reason), reason);
    }

    /** Returns the wire bytes of all calls. */
    long wireBytes() {
        return wireBytes;
    }

    /** Returns the nanoseconds since the start of the transfer. */
    long elapsedNanos() {
        return upload.clock().getAsLong() - start;
    }

    /** Returns the nanoseconds since the start of the transfer, without the agent's own work. */
    long linkNanos() {
        return elapsedNanos() - nanos;
    }

    /** Returns the report on everything that the agent sent, after everything has arrived. */
    SendReport plus(SendReport engine, ReceiveReport received) {
        if (wireBytes == 0) {
            return engine;
        }
        long raw = received.figures().rawBytes()
                - engine.usages().stream().mapToLong(CodecUsage::rawBytes).sum();
        CodecLevel gzip = new CodecLevel(
                Codec.GZIP,
                files instanceof FileSelection.ByPattern
                        ? BootstrapArchiveCallable.STASH_LEVEL
                        : BootstrapArchiveCallable.LEVEL);
        return engine.plus(new CodecUsage(gzip, blocks, Math.max(0, raw), wireBytes, nanos), entries, contentBytes);
    }
}
