package io.jenkins.plugins.compressionaware.engine.receive;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.http.DirectLane;
import io.jenkins.plugins.compressionaware.engine.http.HttpLaneConnection;
import java.io.IOException;

/** Downloads ranges with HTTP requests, one at a time. */
final class DirectDownloadLane extends DirectLane<RangeSpan> {
    /** Maximum bytes of a response, which is also the controller's limit. */
    static final int MAX_BODY = 32 * FileRanges.RANGE_BYTES;

    private final DownloadBuffer buffer;

    DirectDownloadLane(DownloadBuffer buffer, HttpLaneConnection connection) {
        super(connection);
        this.buffer = buffer;
    }

    @Override
    @CheckForNull
    protected RangeSpan take() throws IOException, InterruptedException {
        return buffer.takeForDirect(MAX_BODY);
    }

    @Override
    protected void deliver(RangeSpan span, HttpLaneConnection connection) throws IOException {
        long start = System.nanoTime();
        connection.fetch(buffer.request(0, span), in -> {
            for (long number = span.first(); number < span.end(); number++) {
                // each range counts, because a slow link may not deliver all of them in time
                confirm(buffer.read(number, in));
            }
        });
        buffer.delivered(span, System.nanoTime() - start);
    }

    @Override
    protected void giveBack(@CheckForNull RangeSpan undelivered) {
        buffer.removeLane(undelivered);
    }
}
