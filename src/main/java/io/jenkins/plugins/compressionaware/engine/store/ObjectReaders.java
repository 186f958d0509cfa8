package io.jenkins.plugins.compressionaware.engine.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.util.HashMap;
import java.util.List;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Reads ranges of objects, as if each followed the one before. Thread-safe. */
@Restricted(NoExternalUse.class)
public final class ObjectReaders {
    private final List<ObjectReader> readers;

    @GuardedBy("this")
    private final HashMap<StoreFailure, Integer> answers = new HashMap<>();

    @FunctionalInterface
    public interface Signer {
        SignedRequest sign(String key) throws IOException;
    }

    /**
     * An object.
     *
     * @param length in bytes
     * @param tag    when it was stored
     */
    public record Stored(String key, long length, String tag) implements Serializable {}

    public ObjectReaders(Signer signer, List<Stored> objects) {
        readers = objects.stream()
                .map(object -> new ObjectReader(
                        () -> signer.sign(object.key), object.length, object.tag, StoreLimits.DEFAULT, this::count))
                .toList();
    }

    private synchronized void count(StoreFailure failure) {
        answers.merge(failure, 1, Integer::sum);
    }

    /** Returns the number of requests by the cause of their failure, which is null for those that succeeded. */
    public synchronized HashMap<StoreFailure, Integer> answers() {
        return new HashMap<>(answers);
    }

    public boolean waitsForController() {
        return readers.stream().anyMatch(ObjectReader::waitsForController);
    }

    /** Opens a range of one object, like {@link ObjectReader#open}. */
    public InputStream open(long from, long count) {
        long position = from;
        for (ObjectReader reader : readers) {
            if (position < reader.length()) {
                return reader.open(position, count);
            }
            position -= reader.length();
        }
        throw new IllegalArgumentException("There is no object at " + from);
    }
}
