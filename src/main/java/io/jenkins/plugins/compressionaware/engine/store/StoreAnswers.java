package io.jenkins.plugins.compressionaware.engine.store;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Reports requests to the metrics, by kind and answer. Does nothing on agents, whose figures the controller gets. */
@Restricted(NoExternalUse.class)
public final class StoreAnswers {
    private static volatile BiConsumer<String, String> observer = (kind, answer) -> {};

    private StoreAnswers() {}

    /** @param newObserver receives kind and answer of each request; must not throw */
    public static void observe(BiConsumer<String, String> newObserver) {
        observer = newObserver;
    }

    /** Returns {@code ok}, or the cause of a failure in lower case. */
    public static String name(@CheckForNull Enum<?> failure) {
        return failure == null ? "ok" : failure.name().toLowerCase(Locale.ROOT);
    }

    /** Reports a request. The text begins with its kind, a word. */
    public static void add(String what, @CheckForNull StoreFailure failure) {
        observer.accept(what.replaceFirst(" .*", ""), name(failure));
    }

    /** Reports an agent's number of requests for each answer, which may be forged. */
    public static void addAll(String kind, @CheckForNull Map<StoreFailure, Integer> answers) {
        if (answers != null) {
            answers.forEach((failure, count) -> IntStream.range(0, count == null ? 0 : Math.min(count, 1 << 20))
                    .forEach(request -> observer.accept(kind, name(failure))));
        }
    }
}
