package io.jenkins.plugins.compressionaware.engine.staging;

import java.io.Closeable;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The lock of an archive, shared by all in this process that change it, such as parallel branches of its build. Each archive has its own, so a disk
 * that hangs stops only its own builds. A lock disappears with its last user.
 */
final class ArchiveLock implements Closeable {
    private static final ConcurrentMap<Path, Shared> OPEN = new ConcurrentHashMap<>();

    private final Path archive;
    private final Shared shared;

    private record Shared(Lock lock, int users) {}

    /** @param archive the same path for every spelling of it */
    ArchiveLock(Path archive) {
        this.archive = archive;
        shared = OPEN.compute(
                archive,
                (path, there) ->
                        there == null ? new Shared(new ReentrantLock(), 1) : new Shared(there.lock, there.users + 1));
    }

    Lock lock() {
        return shared.lock;
    }

    /** Number of archives in use, for tests. */
    static int openCount() {
        return OPEN.size();
    }

    @Override
    public void close() {
        OPEN.computeIfPresent(
                archive, (path, there) -> there.users == 1 ? null : new Shared(there.lock, there.users - 1));
    }
}
