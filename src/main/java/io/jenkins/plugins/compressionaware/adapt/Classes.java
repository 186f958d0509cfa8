package io.jenkins.plugins.compressionaware.adapt;

import java.util.HashMap;
import java.util.Map;

/** The classes met so far. Their number is bounded: further extensions share the class of their look. */
final class Classes {
    private static final int MOST = 48;

    private final Map<BlockClass, ClassState> states = new HashMap<>();
    private final Machine machine = new Machine();

    ClassState of(BlockClass key) {
        ClassState known = states.get(key);
        if (known != null) {
            return known;
        }
        ClassState look = states.computeIfAbsent(key.withoutExtension(), k -> new ClassState(k.kind(), machine));
        if (key.extension().isEmpty() || states.size() >= MOST) {
            return look;
        }
        ClassState fresh = new ClassState(look);
        states.put(key, fresh);
        return fresh;
    }

    /** What a block has taught serves its class, and as a first guess for classes of the same look. */
    ClassState look(BlockClass key) {
        return of(key.withoutExtension());
    }
}
