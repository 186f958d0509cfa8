package io.jenkins.plugins.compressionaware.engine.receive;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.lane.DirectLane;
import io.jenkins.plugins.compressionaware.engine.lane.DirectLaneClient;
import io.jenkins.plugins.compressionaware.engine.lane.HttpLaneConnection;
import java.io.IOException;

/** Direct lanes of an unstash: each fetches pieces of a stored file. */
record DirectDownloadLanes(DownloadBuffer pieces) implements DirectLaneClient {
    /** Pieces per request: those lost with it are fetched again. */
    private static final int RANGES_PER_REQUEST = 8;

    @Override
    public boolean addLanes(int lanes) {
        pieces.addDirectLanes(lanes);
        return true;
    }

    @Override
    public void removeLane() {
        pieces.removeDirectLane(null);
    }

    @Override
    public void fail(IOException reason) {
        pieces.fail(reason);
    }

    @Override
    public DirectLane<DownloadBuffer.Run> lane(HttpLaneConnection connection) {
        return new Lane(pieces, connection);
    }

    private static final class Lane extends DirectLane<DownloadBuffer.Run> {
        private final DownloadBuffer pieces;

        Lane(DownloadBuffer pieces, HttpLaneConnection connection) {
            super(connection);
            this.pieces = pieces;
        }

        @Override
        @CheckForNull
        protected DownloadBuffer.Run take() throws IOException, InterruptedException {
            return pieces.takeForDirect(RANGES_PER_REQUEST);
        }

        @Override
        protected void deliver(DownloadBuffer.Run run, HttpLaneConnection connection) throws IOException {
            int length = pieces.length(run);
            connection.fetch(pieces.position(run.first()), length, in -> pieces.read(run, in));
            confirm(length);
        }

        @Override
        protected void giveBack(@CheckForNull DownloadBuffer.Run undelivered) {
            pieces.removeDirectLane(undelivered);
        }
    }
}
