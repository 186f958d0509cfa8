package io.jenkins.plugins.compressionaware.engine.store;

import java.io.Serializable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Describes a part of an object. The signature of its request covers the description, so that the store refuses other bytes.
 *
 * @param object   key of the object of a file; empty for the object of all other files
 * @param number   from 1, or {@link #WHOLE}
 * @param length   in bytes
 * @param checksum in base64; its kind is a {@link PartChecksum}
 */
@Restricted(NoExternalUse.class)
public record ObjectPart(String object, int number, int length, String checksum) implements Serializable {
    /** The number of an object that is stored by a single request. */
    public static final int WHOLE = 0;

    /** Returns the same part of the object of a file. */
    public ObjectPart of(String key) {
        return new ObjectPart(key, number, length, checksum);
    }
}
