package io.jenkins.plugins.compressionaware.engine.receive;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.lane.DirectLane;
import io.jenkins.plugins.compressionaware.engine.lane.HttpLaneConnection;
import java.io.IOException;

/** A direct lane of a download, which requests ranges of a frame file. */
final class DirectDownloadLane extends DirectLane<DownloadBuffer.RangeSpan> {
    /** Ranges per request. After a failed request, streams request its ranges again. */
    private static final int RANGES_PER_REQUEST = 8;

    private final DownloadBuffer buffer;

    DirectDownloadLane(DownloadBuffer buffer, HttpLaneConnection connection) {
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
        buffer.removeLane(undelivered);
    }
}
