package io.jenkins.plugins.compressionaware.overview;

import io.jenkins.plugins.compressionaware.report.Transfer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Jobs that archive the same bytes in one build after the other. Remembers since the start of this JVM: the {@value #JOBS} jobs that have archived
 * last, {@value #CALLS} different archives of each. Any thread may use it.
 */
final class Repeats {
    private static final int JOBS = 200;
    private static final int CALLS = 8;

    /** So many builds in a row are no accident. */
    static final int ENOUGH = 5;

    /** What is smaller is not worth a word, raw bytes. */
    static final long LARGE = 10_000_000;

    /** One archive, in its newest build. */
    private record Archive(int build, int builds, long rawBytes) {}

    private final Map<String, Map<Long, Archive>> jobs = newest(JOBS);

    private static <K, V> Map<K, V> newest(int most) {
        return new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
                return size() > most;
            }
        };
    }

    /**
     * One archive is complete.
     *
     * @param digest of all of its bytes; 0 if it is not known
     */
    synchronized void add(Transfer transfer, long digest, long rawBytes) {
        if (transfer.kind() != Transfer.Kind.ARCHIVE || digest == 0 || rawBytes < LARGE) {
            return;
        }
        Map<Long, Archive> archives = jobs.computeIfAbsent(transfer.job(), job -> newest(CALLS));
        Archive before = archives.get(digest);
        int builds = before == null ? 0 : before.builds;
        boolean again = before != null && before.build == transfer.build();
        archives.put(digest, new Archive(transfer.build(), again ? builds : builds + 1, rawBytes));
    }

    /** Full names of jobs whose newest builds have all archived the same, to its raw bytes. */
    synchronized Map<String, Long> jobs() {
        Map<String, Long> repeating = new TreeMap<>();
        jobs.forEach((job, archives) -> {
            int newest =
                    archives.values().stream().mapToInt(Archive::build).max().orElse(0);
            long bytes = archives.values().stream()
                    .filter(archive -> archive.builds >= ENOUGH && archive.build == newest)
                    .mapToLong(Archive::rawBytes)
                    .sum();
            if (bytes > 0) {
                repeating.put(job, bytes);
            }
        });
        return repeating;
    }
}
