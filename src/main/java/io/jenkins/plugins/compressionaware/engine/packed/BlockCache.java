package io.jenkins.plugins.compressionaware.engine.packed;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.run.JvmLimits;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** Recently used blocks and index pages of all packed archives, decoded. Thread-safe; two threads may load the same block. */
final class BlockCache {
    /** Heap of one entry besides its bytes. */
    private static final int OVERHEAD = 200;

    static final BlockCache OF_THIS_JVM = new BlockCache(JvmLimits.PACKED_BYTES);

    private final long limit;

    @GuardedBy("blocks")
    private final Map<Key, byte[]> blocks = new LinkedHashMap<>(16, 0.75f, true);

    @GuardedBy("blocks")
    private long bytes;

    /**
     * @param file     identity of the file
     * @param position in the file; negative for what has none
     */
    private record Key(Object file, long position) {}

    interface Loader {
        byte[] load() throws IOException;
    }

    /** @param limit heap in bytes */
    BlockCache(long limit) {
        this.limit = limit;
    }

    @CheckForNull
    byte[] find(Object file, long position) {
        synchronized (blocks) {
            return blocks.get(new Key(file, position));
        }
    }

    byte[] get(Object file, long position, Loader loader) throws IOException {
        byte[] known = find(file, position);
        if (known != null) {
            return known;
        }
        byte[] loaded = loader.load();
        put(file, position, loaded);
        return loaded;
    }

    private void put(Object file, long position, byte[] loaded) {
        synchronized (blocks) {
            if (blocks.put(new Key(file, position), loaded) == null) {
                bytes += loaded.length + OVERHEAD;
            }
            var oldest = blocks.values().iterator();
            while (bytes > limit && oldest.hasNext()) {
                bytes -= oldest.next().length + OVERHEAD;
                oldest.remove();
            }
        }
    }

    /** Returns the heap in use, bytes. */
    long bytes() {
        synchronized (blocks) {
            return bytes;
        }
    }
}
