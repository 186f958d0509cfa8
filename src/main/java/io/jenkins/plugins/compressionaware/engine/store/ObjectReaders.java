package io.jenkins.plugins.compressionaware.engine.store;

import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.util.List;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Reads ranges of objects, as if each followed the one before. Thread-safe. */
@Restricted(NoExternalUse.class)
public final class ObjectReaders {
    private final List<ObjectReader> readers;

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
                .map(object -> new ObjectReader(() -> signer.sign(object.key), object.length, object.tag))
                .toList();
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
