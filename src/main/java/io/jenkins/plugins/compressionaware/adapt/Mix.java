package io.jenkins.plugins.compressionaware.adapt;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.function.ObjDoubleConsumer;

/**
 * The shares that families have in the recent blocks. Blocks in the pipeline's queues overlap: while a stored one fills the link, the next
 * can be compressed at leisure. So a choice is judged together with its neighbours.
 */
final class Mix {
    /** About as many blocks as queues and windows hold. */
    private static final double BLOCKS = 16;

    /** A family with less than this share is forgotten. */
    private static final double LEAST = 0.01;

    private final Map<FamilyEstimates, Double> shares = new HashMap<>();
    private double total;

    /** Counts a block of {@code weight} blocks' size, 0 to 1. */
    void add(FamilyEstimates family, double weight) {
        double keep = 1 - weight / BLOCKS;
        total = 0;
        shares.merge(family, 0.0, Double::sum);
        for (Iterator<Map.Entry<FamilyEstimates, Double>> i = shares.entrySet().iterator(); i.hasNext(); ) {
            Map.Entry<FamilyEstimates, Double> entry = i.next();
            double share = entry.getValue() * keep + (entry.getKey() == family ? weight / BLOCKS : 0);
            if (share < LEAST && entry.getKey() != family) {
                i.remove();
            } else {
                entry.setValue(share);
                total += share;
            }
        }
    }

    /** 0 to 1. */
    double share(FamilyEstimates family) {
        return shares.getOrDefault(family, 0.0) / total;
    }

    void forEachOther(FamilyEstimates family, ObjDoubleConsumer<FamilyEstimates> action) {
        shares.forEach((other, share) -> {
            if (other != family) {
                action.accept(other, share / total);
            }
        });
    }
}
