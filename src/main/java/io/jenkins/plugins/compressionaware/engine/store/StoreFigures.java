package io.jenkins.plugins.compressionaware.engine.store;

import java.io.Serializable;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The requests of an upload.
 *
 * @param nanos    duration of the last request for each part
 * @param atOnce   number of requests that ran when the store had a part, for each part
 * @param failures number of requests that failed and were repeated
 */
@Restricted(NoExternalUse.class)
public record StoreFigures(long[] nanos, int[] atOnce, Map<StoreFailure, Integer> failures) implements Serializable {
    public static final StoreFigures NONE = new StoreFigures(new long[0], new int[0], Map.of());

    public StoreFigures plus(StoreFigures other) {
        Map<StoreFailure, Integer> all = new HashMap<>(failures);
        other.failures.forEach((failure, count) -> all.merge(failure, count, Integer::sum));
        return new StoreFigures(
                LongStream.concat(LongStream.of(nanos), LongStream.of(other.nanos))
                        .toArray(),
                IntStream.concat(IntStream.of(atOnce), IntStream.of(other.atOnce))
                        .toArray(),
                all);
    }
}
