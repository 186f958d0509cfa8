package io.jenkins.plugins.compressionaware.engine.store;

import java.io.Serializable;
import java.util.stream.LongStream;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The requests of an upload.
 *
 * @param nanos   duration of the last request for each part
 * @param repeats number of requests that failed and were repeated
 */
@Restricted(NoExternalUse.class)
public record StoreFigures(long[] nanos, int repeats) implements Serializable {
    public StoreFigures plus(StoreFigures other) {
        return new StoreFigures(
                LongStream.concat(LongStream.of(nanos), LongStream.of(other.nanos))
                        .toArray(),
                repeats + other.repeats);
    }
}
