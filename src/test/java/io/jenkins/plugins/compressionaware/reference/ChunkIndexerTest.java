package io.jenkins.plugins.compressionaware.reference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One thread indexes the archives of all jobs. */
@Timeout(10)
class ChunkIndexerTest {
    @Test
    void jobWithManyBuildsLeavesPlacesForOthers() throws Exception {
        ChunkIndexer indexer = new ChunkIndexer();
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        indexer.execute("hostile", () -> {
            running.countDown();
            try {
                mayEnd.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        running.await();
        assertEquals(
                ChunkIndexer.MAX_TASKS_OF_JOB,
                IntStream.range(0, 200)
                        .filter(i -> indexer.execute("hostile", () -> {}))
                        .count());
        CountDownLatch indexed = new CountDownLatch(1);
        assertTrue(indexer.execute("honest", indexed::countDown));
        mayEnd.countDown();
        indexed.await();
    }
}
