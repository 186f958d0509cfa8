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

    private final int number;
    private final int length;
    private final String checksum;

    /**
     * @param number   from 1, or {@link #WHOLE}
     * @param checksum in base64
     */
    public ObjectPart(int number, int length, String checksum) {
        this.number = number;
        this.length = length;
        this.checksum = checksum;
    }

    public int number() {
        return number;
    }

    /** Returns the length in bytes. */
    public int length() {
        return length;
    }

    /** Returns the checksum in base64; its kind is {@link StoreUpload#checksum}. */
    public String checksum() {
        return checksum;
    }
}
