package io.jenkins.plugins.compressionaware.adapt;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.function.ObjDoubleConsumer;

/**
 * The shares that classes have in the recent blocks. Blocks in the pipeline's queues overlap: while a stored one fills the link, the next
 * can be compressed at leisure. So a choice is judged together with its neighbours.
 */
final class Mix {
    /** About as many blocks as queues and windows hold. */
    private static final double BLOCKS = 16;

    /** A class with less than this share is forgotten. */
    private static final double LEAST = 0.01;

    private final Map<ClassState, Double> shares = new HashMap<>();
    private double total;

    /** Counts a block of {@code weight} blocks' size, 0 to 1. */
    void add(ClassState state, double weight) {
        double keep = 1 - weight / BLOCKS;
        total = 0;
        shares.merge(state, 0.0, Double::sum);
        for (Iterator<Map.Entry<ClassState, Double>> i = shares.entrySet().iterator(); i.hasNext(); ) {
            Map.Entry<ClassState, Double> entry = i.next();
            double share = entry.getValue() * keep + (entry.getKey() == state ? weight / BLOCKS : 0);
            if (share < LEAST && entry.getKey() != state) {
                i.remove();
            } else {
                entry.setValue(share);
                total += share;
            }
        }
    }

    /** 0 to 1. */
    double share(ClassState state) {
        return shares.getOrDefault(state, 0.0) / total;
    }

    void forEachOther(ClassState state, ObjDoubleConsumer<ClassState> action) {
        shares.forEach((other, share) -> {
            if (other != state) {
                action.accept(other, share / total);
            }
        });
    }
}
