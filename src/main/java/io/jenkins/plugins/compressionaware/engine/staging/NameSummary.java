package io.jenkins.plugins.compressionaware.engine.staging;

import java.util.ArrayList;
import java.util.List;

/** The first names of a long list, and the number of the others, for a message. */
final class NameSummary {
    private static final int MAX_NAMES = 20;

    private final List<String> names = new ArrayList<>();
    private int count;

    void add(String name) {
        if (count++ < MAX_NAMES) {
            names.add(name);
        }
    }

    boolean isEmpty() {
        return names.isEmpty();
    }

    String first() {
        return names.get(0);
    }

    @Override
    public String toString() {
        String first = String.join(", ", names);
        return count > names.size() ? first + " and " + (count - names.size()) + " more" : first;
    }
}
