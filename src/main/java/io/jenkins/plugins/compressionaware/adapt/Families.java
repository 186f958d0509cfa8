package io.jenkins.plugins.compressionaware.adapt;

import java.util.HashMap;
import java.util.Map;

/** The families met so far. Their number is bounded: further extensions share the family of their look. */
final class Families {
    private static final int MOST = 48;

    private final Map<Family, FamilyEstimates> estimates = new HashMap<>();

    FamilyEstimates of(Family key) {
        boolean fits = estimates.containsKey(key) || estimates.size() < MOST;
        return estimates.computeIfAbsent(
                fits ? key : key.withoutExtension(), family -> new FamilyEstimates(family.look()));
    }
}
