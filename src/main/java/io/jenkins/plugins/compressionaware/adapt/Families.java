package io.jenkins.plugins.compressionaware.adapt;

import java.util.HashMap;
import java.util.Map;

/** The families seen so far. Their number is bounded: beyond it, all new extensions of one look share a family. */
final class Families {
    private static final int MOST = 48;

    private final Map<Family, FamilyEstimates> estimates = new HashMap<>();

    FamilyEstimates of(Family key) {
        boolean fits = estimates.containsKey(key) || estimates.size() < MOST;
        return estimates.computeIfAbsent(
                fits ? key : key.withoutExtension(), family -> new FamilyEstimates(family.look()));
    }
}
