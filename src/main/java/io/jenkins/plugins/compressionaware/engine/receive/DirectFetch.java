package io.jenkins.plugins.compressionaware.engine.receive;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.lane.DirectLane;
import io.jenkins.plugins.compressionaware.engine.lane.DirectWork;
import io.jenkins.plugins.compressionaware.engine.lane.EndpointConnection;
import java.io.IOException;

/** Direct lanes of an unstash: each fetches pieces of a stored file. */
record DirectFetch(FilePieces pieces) implements DirectWork {
    /** Pieces per request: those lost with it are fetched again. */
    private static final int RUN = 8;

    @Override
    public boolean begin(int lanes) {
        pieces.directLanesBegin(lanes);
        return true;
    }

    @Override
    public void end() {
        pieces.directLaneEnds(null);
    }

    @Override
    public void fail(IOException reason) {
        pieces.fail(reason);
    }

    @Override
    public DirectLane<FilePieces.Run> lane(EndpointConnection connection) {
        return new Lane(pieces, connection);
    }

    private static final class Lane extends DirectLane<FilePieces.Run> {
        private final FilePieces pieces;

        Lane(FilePieces pieces, EndpointConnection connection) {
            super(connection);
            this.pieces = pieces;
        }

        @Override
        @CheckForNull
        protected FilePieces.Run take() throws IOException, InterruptedException {
            return pieces.takeForDirect(RUN);
        }

        @Override
        protected void deliver(FilePieces.Run run, EndpointConnection connection) throws IOException {
            int length = pieces.length(run);
            connection.fetch(pieces.position(run.first()), length, in -> pieces.read(run, in));
            confirm(length);
        }

        @Override
        protected void giveBack(@CheckForNull FilePieces.Run undelivered) {
            pieces.directLaneEnds(undelivered);
        }
    }
}
