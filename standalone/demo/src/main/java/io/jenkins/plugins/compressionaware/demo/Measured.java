package io.jenkins.plugins.compressionaware.demo;

import java.util.List;
import java.util.Map;

/**
 * What has been measured.
 *
 * @param copySeconds what it takes here to write the files and no more, median; 0 if they are in memory
 */
public record Measured(Map<Way, List<Measurement>> all, double copySeconds) {
    /** One measurement per way, that with the median time. */
    List<Measurement> medians() {
        return all.values().stream().map(Measurement::median).toList();
    }

    int rounds() {
        return all.get(Way.CORE).size();
    }

    Measurement median(Way way) {
        return Measurement.median(all.get(way));
    }

    static double median(List<Double> seconds) {
        return seconds.stream().sorted().toList().get(seconds.size() / 2);
    }
}
