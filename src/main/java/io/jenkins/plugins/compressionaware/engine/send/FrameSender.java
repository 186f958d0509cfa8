package io.jenkins.plugins.compressionaware.engine.send;

import io.jenkins.plugins.compressionaware.engine.adaptive.LaneWrite;
import io.jenkins.plugins.compressionaware.engine.flow.TransferThreads;
import io.jenkins.plugins.compressionaware.engine.flow.UninterruptedWrites;
import io.jenkins.plugins.compressionaware.engine.lane.AgentEnd;
import io.jenkins.plugins.compressionaware.engine.lane.DirectLaneClient;
import io.jenkins.plugins.compressionaware.engine.lane.DirectLaneGroup;
import io.jenkins.plugins.compressionaware.engine.lane.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.engine.lane.DirectLaneReport;
import io.jenkins.plugins.compressionaware.engine.lane.HttpLaneConnection;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Sends frames on one thread per lane. Memory: as many frames wait as the capacity says; each stream holds one more, and each direct lane up
 * to the capacity.
 */
final class FrameSender implements FrameSink, AgentEnd.Part, Closeable {
    private final FrameDispatcher source;
    private final CompressionPolicy policy;
    private final TransferThreads maker;
    private final List<Thread> threads = new ArrayList<>();
    private final UninterruptedWrites writes = new UninterruptedWrites();
    private final List<? extends OutputStream> streams;
    private final CountDownLatch running;
    private final AtomicInteger bodyLimit;
    private final DirectLaneGroup direct;
    private final long directFrom;
    private final LongAdder wireBytes = new LongAdder();
    private final LongAdder writeNanos = new LongAdder();
    private boolean opened;
    private long rawBytes;

    /** @param capacity frames that wait to be sent, at least 1 */
    FrameSender(SendTarget route, int capacity, CompressionPolicy policy, TransferThreads maker) {
        this(route, capacity, policy, maker, System::nanoTime);
    }

    /** @param clock nanoseconds, to measure how long lanes wait */
    FrameSender(SendTarget route, int capacity, CompressionPolicy policy, TransferThreads maker, LongSupplier clock) {
        this.policy = policy;
        this.maker = maker;
        streams = route.lanes();
        running = new CountDownLatch(streams.size());
        source = new FrameDispatcher(new CreditGate(route.credits(), route.credit()), capacity, clock);
        DirectLaneOffer offer = route.direct();
        bodyLimit = new AtomicInteger(offer == null ? 0 : offer.bodyLimit());
        direct = offer == null ? null : new DirectLaneGroup(offer, new Requests(), maker);
        directFrom = offer == null ? 0 : DirectLaneGroup.minBytes(offer);
        if (route.end() != null) {
            route.end().follow(this);
        }
    }

    private final class Requests implements DirectLaneClient {
        @Override
        public boolean addLanes(int lanes) {
            return source.addDirectLanes(lanes);
        }

        @Override
        public void removeLane() {
            source.removeDirectLane(List.of());
        }

        @Override
        public DirectUploadLane lane(HttpLaneConnection connection) {
            return new DirectUploadLane(source, connection, bodyLimit, FrameSender.this::sent);
        }

        @Override
        public void onActiveLanesChanged(int lanes) {
            policy.lanes(lanes > 0 ? lanes : streams.size(), lanes > 0);
        }

        @Override
        public void fail(IOException reason) {
            source.fail(reason);
        }
    }

    void start() {
        for (OutputStream stream : streams) {
            // in reserve, it must not keep back bytes that all other lanes may wait for
            StreamLane lane = new StreamLane(stream, writes, streams.size() == 1 && direct == null, this::sent);
            Thread thread = maker.create("send", () -> run(lane));
            threads.add(thread);
            thread.start();
        }
    }

    private void run(StreamLane lane) {
        try {
            lane.sendAll(source);
        } catch (Throwable e) { // whatever it is, the others must not wait for this lane
            source.fail(e);
        } finally {
            running.countDown();
        }
    }

    private void sent(LaneWrite write) {
        wireBytes.add(write.wireLength());
        writeNanos.add(write.writeNanos());
        policy.sent(write);
    }

    @Override
    public long[] state() {
        return new long[] {source.waitsForFrames() ? AgentEnd.BUSY : AgentEnd.WAITS, wireBytes(), source.credit()};
    }

    /** Bytes given to the lanes so far. */
    long wireBytes() {
        return wireBytes.sum();
    }

    /** Time in writes to the lanes, summed over lanes, nanoseconds. */
    long writeNanos() {
        return writeNanos.sum();
    }

    @Override
    public void put(Future<EncodedFrame> frame, int rawLength) throws IOException, InterruptedException {
        if (direct != null && !opened && rawBytes >= directFrom) {
            opened = true;
            direct.open();
        }
        rawBytes += rawLength;
        source.put(frame);
    }

    @Override
    public byte[] borrowBuffer(int length) {
        return source.borrowBuffer(length);
    }

    /** Returns when all frames have been given to the lanes. */
    void finish() throws IOException, InterruptedException {
        source.complete();
        running.await();
        source.check();
    }

    /** The direct lanes' results; null if there were none. */
    DirectLaneReport direct() {
        return direct == null ? null : direct.report(bodyLimit.get());
    }

    @Override
    public void close() {
        try (direct) {
            source.close();
        } finally {
            writes.closeAndAwait();
            for (Thread thread : threads) {
                thread.interrupt();
            }
        }
    }
}
