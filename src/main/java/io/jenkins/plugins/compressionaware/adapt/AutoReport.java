package io.jenkins.plugins.compressionaware.adapt;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What was chosen and why.
 *
 * @param usages   one for each choice that was used
 * @param reason   the stage that mattered most and its rate, such as "link 41 MB/s"
 * @param switches how often a family of blocks was given another choice, trials of single blocks not counted
 */
public record AutoReport(ArrayList<Usage> usages, String reason, int switches) implements Serializable {
    private static final long serialVersionUID = 1;

    /** As in "zstd 1 on 83 % of the bytes, stored 17 %; link 41 MB/s". Choices below 1 % are left out. */
    public String describe() {
        long total = usages.stream().mapToLong(Usage::rawBytes).sum();
        List<Usage> shown = usages.stream()
                .filter(usage -> usage.rawBytes() * 200 >= total && usage.rawBytes() > 0)
                .sorted(Comparator.comparingLong(Usage::rawBytes).reversed())
                .toList();
        if (shown.isEmpty()) {
            return "nothing to choose";
        }
        String first = shown.get(0).choice() + " on " + percent(shown.get(0), total) + " of the bytes";
        String others = shown.stream()
                .skip(1)
                .map(usage -> ", " + usage.choice() + " " + percent(usage, total))
                .collect(Collectors.joining());
        return first + others + "; " + reason;
    }

    private static String percent(Usage usage, long total) {
        return Math.round(100.0 * usage.rawBytes() / total) + " %";
    }
}
