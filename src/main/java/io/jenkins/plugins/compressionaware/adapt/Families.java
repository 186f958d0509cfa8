package io.jenkins.plugins.compressionaware.adapt;

import java.util.HashMap;
import java.util.Map;

/** The families met so far. Their number is bounded: further extensions share the family of their look. */
final class Families {
    private static final int MOST = 48;

    private final Map<Family, FamilyEstimates> states = new HashMap<>();
    private final AgentSpeed speed = new AgentSpeed();

    FamilyEstimates of(Family key) {
        FamilyEstimates known = states.get(key);
        if (known != null) {
            return known;
        }
        FamilyEstimates look = states.computeIfAbsent(key.withoutExtension(), k -> new FamilyEstimates(k.look(), speed));
        if (key.extension().isEmpty() || states.size() >= MOST) {
            return look;
        }
        FamilyEstimates fresh = new FamilyEstimates(look);
        states.put(key, fresh);
        return fresh;
    }

    /** What a block has taught serves its family, and as a first guess for families of the same look. */
    FamilyEstimates look(Family key) {
        return of(key.withoutExtension());
    }
}
