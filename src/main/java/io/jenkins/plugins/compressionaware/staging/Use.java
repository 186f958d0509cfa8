package io.jenkins.plugins.compressionaware.staging;

import java.io.Closeable;
import java.nio.file.Path;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One user of an archive in this process, such as a parallel branch of its build. All users of an archive share a lock, and those of other
 * archives have others, so a disk that hangs stops its own builds only. What they share goes with the last of them.
 */
final class Use implements Closeable {
    private static final ConcurrentMap<Path, Shared> OPEN = new ConcurrentHashMap<>();

    private final Place place;
    private final UUID number = UUID.randomUUID();
    private final Shared shared;

    private record Shared(ReentrantLock lock, Set<UUID> users) {}

    Use(Place place) {
        this.place = place;
        shared = OPEN.compute(place.archive(), (archive, there) -> {
            Shared shared = there != null ? there : new Shared(new ReentrantLock(), ConcurrentHashMap.newKeySet());
            shared.users.add(number);
            return shared;
        });
    }

    /** Not that of any other user, now or before. */
    UUID number() {
        return number;
    }

    /** Waits until no other user changes the archive. */
    void lock() throws InterruptedException {
        shared.lock.lockInterruptibly();
    }

    void unlock() {
        shared.lock.unlock();
    }

    /** Whether a user of the archive has this number now. */
    boolean isOpen(UUID other) {
        return shared.users.contains(other);
    }

    /** How many archives are in use, for tests. */
    static int archives() {
        return OPEN.size();
    }

    @Override
    public void close() {
        OPEN.computeIfPresent(place.archive(), (archive, shared) -> {
            shared.users.remove(number);
            return shared.users.isEmpty() ? null : shared;
        });
    }
}
