package io.jenkins.plugins.compressionaware.receive;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.transfer.DirectLane;
import io.jenkins.plugins.compressionaware.transfer.DirectWork;
import io.jenkins.plugins.compressionaware.transfer.EndpointConnection;
import java.io.IOException;

/** Direct lanes of an unstash: each fetches pieces of a stored file. */
record DirectFetch(FilePieces pieces) implements DirectWork {
    /** Pieces per request: those lost with it are fetched again. */
    private static final int RUN = 8;

    @Override
    public int probe(EndpointConnection connection) throws IOException {
        return connection.probeGet();
    }

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
    public DirectLane lane(EndpointConnection connection) {
        return new Lane(pieces, connection);
    }

    private static final class Lane implements DirectLane {
        private final FilePieces pieces;
        private final EndpointConnection connection;
        private final Runnable giveBack = this::giveBack;

        // guarded by this, like ended and delivered
        private FilePieces.Run inHand;
        private boolean ended;
        private long delivered;

        Lane(FilePieces pieces, EndpointConnection connection) {
            this.pieces = pieces;
            this.connection = connection;
        }

        @Override
        public void run() throws IOException, InterruptedException {
            for (FilePieces.Run run = pieces.takeForDirect(RUN); hold(run); run = pieces.takeForDirect(RUN)) {
                fetch(run);
            }
        }

        /** False if there is nothing to fetch, or the lane has ended. */
        private synchronized boolean hold(FilePieces.Run run) {
            if (ended && run != null) {
                pieces.giveBack(run);
                return false;
            }
            inHand = run;
            return run != null;
        }

        private void fetch(FilePieces.Run run) throws IOException {
            connection.get(pieces.position(run.first()), pieces.length(run), in -> pieces.read(run, in));
            synchronized (this) {
                inHand = null;
                delivered += pieces.length(run);
            }
        }

        @Override
        public boolean isStalled() {
            return connection.isStalled();
        }

        @Override
        @CheckForNull
        public synchronized Runnable end() {
            if (ended) {
                return null;
            }
            ended = true;
            return giveBack;
        }

        private void giveBack() {
            FilePieces.Run left;
            synchronized (this) {
                left = inHand;
            }
            pieces.directLaneEnds(left);
        }

        @Override
        public synchronized long delivered() {
            return delivered;
        }
    }
}
