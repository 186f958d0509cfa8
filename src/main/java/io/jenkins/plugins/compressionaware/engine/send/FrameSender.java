package io.jenkins.plugins.compressionaware.engine.send;

import io.jenkins.plugins.compressionaware.engine.adaptive.LaneBalance;
import io.jenkins.plugins.compressionaware.engine.adaptive.LaneWrite;
import io.jenkins.plugins.compressionaware.engine.flow.CreditGate;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneClient;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneGroup;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneReport;
import io.jenkins.plugins.compressionaware.engine.http.HttpLaneConnection;
import io.jenkins.plugins.compressionaware.engine.run.AgentEnd;
import io.jenkins.plugins.compressionaware.engine.run.TransferThreads;
import io.jenkins.plugins.compressionaware.engine.run.UninterruptedWrites;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Sends frames over streams and direct lanes, on one thread per lane. Memory holds {@code capacity} waiting frames, one more for each stream, and up to
 * {@code capacity} for each direct lane.
 */
final class FrameSender implements FrameSink, DirectLaneClient, AgentEnd.Part, Closeable {
    private final FrameDispatcher dispatcher;
    private final CompressionPolicy policy;
    private final TransferThreads transferThreads;
    private final List<Thread> threads = new ArrayList<>();
    private final UninterruptedWrites writes;
    private final List<? extends OutputStream> streams;
    private final AtomicInteger bodyLimit;
    private final DirectLaneGroup direct;
    private final long directFrom;
    private final LongAdder wireBytes = new LongAdder();
    private final LongAdder writeNanos = new LongAdder();
    private boolean opened;
    private long rawBytes;

    /**
     * @param capacity maximum number of frames that wait to be sent, at least 1
     * @param clock    nanoseconds, for the waiting times of lanes
     */
    FrameSender(
            SendTarget target,
            int capacity,
            CompressionPolicy policy,
            TransferThreads transferThreads,
            LongSupplier clock) {
        this.policy = policy;
        this.transferThreads = transferThreads;
        streams = target.lanes();
        DirectLaneOffer offer = target.direct();
        LaneBalance balance = offer == null || offer.required()
                ? null
                : new LaneBalance(
                        streams.size(),
                        offer.bodyLimit(),
                        TimeUnit.MILLISECONDS.toNanos(offer.limits().requestMillis()));
        dispatcher = new FrameDispatcher(
                new CreditGate(target.credits(), target.credit(), target.spentCredit()), capacity, clock, balance);
        dispatcher.addStreams(streams.size());
        bodyLimit = new AtomicInteger(offer == null ? 0 : offer.bodyLimit());
        direct = offer == null ? null : new DirectLaneGroup(offer, this, transferThreads);
        directFrom = offer == null ? 0 : offer.minBytes();
        AgentEnd end = target.end();
        writes = end == null ? new UninterruptedWrites() : end.writes();
        if (end != null) {
            end.follow(this);
        }
    }

    @Override
    public boolean addLanes(int lanes) {
        return dispatcher.addDirectLanes(lanes);
    }

    @Override
    public void removeLane() {
        dispatcher.removeDirectLane(List.of());
    }

    @Override
    public DirectUploadLane lane(HttpLaneConnection connection) {
        return new DirectUploadLane(dispatcher, connection, bodyLimit, this::sent);
    }

    @Override
    public void fail(Throwable reason) {
        dispatcher.fail(reason);
    }

    void start() {
        for (OutputStream stream : streams) {
            StreamLane lane = new StreamLane(stream, writes, this::written);
            Thread thread = transferThreads.create("send", () -> run(lane));
            threads.add(thread);
            thread.start();
        }
    }

    private void run(StreamLane lane) {
        try {
            lane.sendAll(dispatcher);
        } catch (Throwable e) { // ends the other lanes, which could wait for this lane
            dispatcher.fail(e);
        } finally {
            dispatcher.streamEnded();
        }
    }

    private void written(LaneWrite write) {
        dispatcher.wrote(write);
        sent(write);
    }

    private void sent(LaneWrite write) {
        wireBytes.add(write.wireLength());
        writeNanos.add(write.writeNanos());
        dispatcher.describeLanes(policy);
        policy.sent(write);
    }

    @Override
    public long[] state() {
        return new long[] {
            dispatcher.waitsForFrames() ? AgentEnd.BUSY : AgentEnd.WAITS, wireBytes(), dispatcher.credit()
        };
    }

    /** Returns the bytes written to the lanes so far. */
    long wireBytes() {
        return wireBytes.sum();
    }

    /** Returns the time in writes to the lanes, summed over lanes, nanoseconds. */
    long writeNanos() {
        return writeNanos.sum();
    }

    @Override
    public void put(Future<EncodedFrame> frame, int rawLength) throws IOException, InterruptedException {
        if (direct != null && !opened && rawBytes >= directFrom && dispatcher.needsDirectLanes()) {
            opened = true;
            direct.open();
        }
        rawBytes += rawLength;
        dispatcher.put(frame);
    }

    /** Waits until all frames have been written to the lanes, or until the transfer has failed. */
    void finish() throws IOException, InterruptedException {
        dispatcher.complete();
        dispatcher.awaitStreams();
    }

    /** Returns the results of the direct lanes; null if there were none. */
    DirectLaneReport direct() {
        if (direct == null) {
            return null;
        }
        direct.end(TimeUnit.NANOSECONDS.toMillis(dispatcher.unansweredNanos()));
        return direct.report(bodyLimit.get());
    }

    @Override
    public void close() {
        try (direct) {
            dispatcher.close();
        } finally {
            writes.close(threads);
        }
    }
}
