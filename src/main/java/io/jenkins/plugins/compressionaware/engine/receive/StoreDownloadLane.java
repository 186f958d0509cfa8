package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.store.ObjectReader;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Downloads ranges of an object from a store. Not thread-safe. */
final class StoreDownloadLane implements DownloadLane {
    /** Maximum length of a request: 4 MiB, which take as long as some round trips. */
    private static final int RANGES_PER_REQUEST = 64;

    private final DownloadBuffer buffer;
    private final ObjectReader object;

    StoreDownloadLane(DownloadBuffer buffer, ObjectReader object) {
        this.buffer = buffer;
        this.object = object;
    }

    @Override
    public void downloadAll() throws IOException, InterruptedException {
        DownloadBuffer.RangeSpan span;
        while ((span = buffer.takeForStream(RANGES_PER_REQUEST)) != null) {
            try (InputStream in = object.open(buffer.position(span.first()), buffer.length(span))) {
                buffer.read(span, new DataInputStream(in));
            }
        }
    }
}
