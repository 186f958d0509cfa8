package io.jenkins.plugins.compressionaware.engine.staging;

import java.io.Closeable;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The lock of one archive, shared by all code in this process that modifies it, such as parallel branches of a build. Each archive has its own lock, so that a
 * hung disk blocks only its own builds. A lock is discarded with its last user.
 */
@Restricted(NoExternalUse.class)
public record ArchiveLock(Path archive, Lock lock) implements Closeable {
    private static final ConcurrentMap<Path, Shared> OPEN = new ConcurrentHashMap<>();

    private record Shared(Lock lock, int users) {}

    /** @param archive path that is equal for all spellings of the archive's path */
    public static ArchiveLock open(Path archive) {
        Shared shared = OPEN.compute(
                archive,
                (path, old) -> old == null ? new Shared(new ReentrantLock(), 1) : new Shared(old.lock, old.users + 1));
        return new ArchiveLock(archive, shared.lock);
    }

    /** Returns the number of archives in use, for tests. */
    static int openCount() {
        return OPEN.size();
    }

    @Override
    public void close() {
        OPEN.computeIfPresent(archive, (path, old) -> old.users == 1 ? null : new Shared(old.lock, old.users - 1));
    }
}
