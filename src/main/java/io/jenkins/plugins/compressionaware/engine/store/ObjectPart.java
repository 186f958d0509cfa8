package io.jenkins.plugins.compressionaware.engine.store;

import java.io.Serializable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Describes a part of an object. The signature of its request covers the description, so that the store refuses other bytes. */
@Restricted(NoExternalUse.class)
public final class ObjectPart implements Serializable {
    private static final long serialVersionUID = 1L;

    /** The number of an object that is stored by a single request. */
    public static final int WHOLE = 0;

    private final String object;
    private final int number;
    private final int length;
    private final String checksum;

    /**
     * @param object   key of the object of a file; empty for the object of all other files
     * @param number   from 1, or {@link #WHOLE}
     * @param checksum in base64; its kind is a {@link PartChecksum}
     */
    public ObjectPart(String object, int number, int length, String checksum) {
        this.object = object;
        this.number = number;
        this.length = length;
        this.checksum = checksum;
    }

    /** Returns the same part of the object of a file. */
    public ObjectPart of(String key) {
        return new ObjectPart(key, number, length, checksum);
    }

    public String object() {
        return object;
    }

    public int number() {
        return number;
    }

    public int length() {
        return length;
    }

    public String checksum() {
        return checksum;
    }
}
