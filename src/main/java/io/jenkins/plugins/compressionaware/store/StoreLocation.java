package io.jenkins.plugins.compressionaware.store;

import io.jenkins.plugins.compressionaware.engine.store.PartChecksum;
import java.io.InvalidObjectException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Everything that is needed to reach a bucket. Saved with each object, so that a changed setting does not lose objects.
 *
 * @param region        empty for the default of the SDK
 * @param endpoint      URL; empty for Amazon S3
 * @param pathStyle     whether the bucket is part of the path instead of the host name
 * @param credentialsId empty for the default chain of the SDK
 * @param storageClass  empty for the default of the bucket
 * @param checksum      what the store verifies
 */
@Restricted(NoExternalUse.class)
public record StoreLocation(
        String bucket,
        String region,
        String endpoint,
        boolean pathStyle,
        String credentialsId,
        String storageClass,
        PartChecksum checksum) {
    private static final String SEPARATOR = "\t";
    private static final int FIELDS = 7;

    /** Returns the text that {@link #parse} accepts. */
    public String describe() {
        return String.join(
                SEPARATOR,
                bucket,
                region,
                endpoint,
                String.valueOf(pathStyle),
                credentialsId,
                storageClass,
                checksum.name());
    }

    public static StoreLocation parse(String description) throws InvalidObjectException {
        String[] parts = description.split(SEPARATOR, FIELDS);
        try {
            return new StoreLocation(
                    parts[0],
                    parts[1],
                    parts[2],
                    Boolean.parseBoolean(parts[3]),
                    parts[4],
                    parts[5],
                    PartChecksum.valueOf(parts[6]));
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            throw new InvalidObjectException("Unknown description of a store: " + description);
        }
    }

    /** Returns the name of the bucket for messages. */
    public String name() {
        return "s3://" + bucket;
    }

    /** Returns the name of an object for messages. */
    public String nameOf(String key) {
        return name() + '/' + key;
    }
}
