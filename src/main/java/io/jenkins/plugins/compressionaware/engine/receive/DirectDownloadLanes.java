package io.jenkins.plugins.compressionaware.engine.receive;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.lane.DirectLane;
import io.jenkins.plugins.compressionaware.engine.lane.DirectLaneClient;
import io.jenkins.plugins.compressionaware.engine.lane.HttpLaneConnection;
import java.io.IOException;

/** Creates the direct lanes of a download, each of which requests ranges of a frame file. */
record DirectDownloadLanes(DownloadBuffer buffer) implements DirectLaneClient {
    /** Ranges per request. After a failed request, streams request its ranges again. */
    private static final int RANGES_PER_REQUEST = 8;

    @Override
    public boolean addLanes(int lanes) {
        buffer.addDirectLanes(lanes);
        return true;
    }

    @Override
    public void removeLane() {
        buffer.removeDirectLane(null);
    }

    @Override
    public void fail(IOException reason) {
        buffer.fail(reason);
    }

    @Override
    public DirectLane<DownloadBuffer.RangeSpan> lane(HttpLaneConnection connection) {
        return new Lane(buffer, connection);
    }

    private static final class Lane extends DirectLane<DownloadBuffer.RangeSpan> {
        private final DownloadBuffer buffer;

        Lane(DownloadBuffer buffer, HttpLaneConnection connection) {
            super(connection);
            this.buffer = buffer;
        }

        @Override
        @CheckForNull
        protected DownloadBuffer.RangeSpan take() throws IOException, InterruptedException {
            return buffer.takeForDirect(RANGES_PER_REQUEST);
        }

        @Override
        protected void deliver(DownloadBuffer.RangeSpan run, HttpLaneConnection connection) throws IOException {
            int length = buffer.length(run);
            connection.fetch(buffer.position(run.first()), length, in -> buffer.read(run, in));
            confirm(length);
        }

        @Override
        protected void giveBack(@CheckForNull DownloadBuffer.RangeSpan undelivered) {
            buffer.removeDirectLane(undelivered);
        }
    }
}
