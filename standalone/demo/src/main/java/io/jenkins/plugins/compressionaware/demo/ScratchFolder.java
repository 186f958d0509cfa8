package io.jenkins.plugins.compressionaware.demo;

import com.sun.management.OperatingSystemMXBean;
import java.io.Closeable;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.commons.io.file.PathUtils;

/** The folder with the demo's files: in memory where there is room for them, so that what is measured is not this machine's disk. */
public final class ScratchFolder implements Closeable {
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final Path MEMORY = Path.of("/proc/meminfo");

    private final String said = System.getenv("TMPDIR");
    private final TempFolder folder;
    private final FileStore store;
    private final long least;
    private final boolean keeps;

    /**
     * Where the user has said, or else in memory, or else in the usual folder for temporary files.
     *
     * @param least bytes that are needed if each archive is deleted before the next
     * @param all   bytes that are needed if all archives are kept
     * @throws IOException if there is less room
     */
    public ScratchFolder(long least, long all) throws IOException {
        this.least = least;
        folder = new TempFolder(parent(said, SHARED_MEMORY, availableMemory(), least));
        store = Files.getFileStore(folder.path());
        long free = store.getUsableSpace();
        if (free < least) {
            folder.close();
            throw new IOException(
                    folder.path().getParent() + " has " + megabytes(free) + " free; " + megabytes(least) + " are needed");
        }
        keeps = !inMemory() && free > all;
    }

    /**
     * The folder for temporary files to use.
     *
     * @param said      by the user; null if nothing
     * @param memory    a file system in memory, if it is there
     * @param available memory, bytes
     * @param needed    bytes
     */
    static Path parent(String said, Path memory, long available, long needed) throws IOException {
        boolean fits = said == null
                && Files.isDirectory(memory)
                && Files.isWritable(memory)
                && isMemory(Files.getFileStore(memory))
                && Files.getFileStore(memory).getUsableSpace() >= needed
                // not more than half of it: the two processes need some, and so do others
                && available >= 2 * needed;
        return fits ? memory : Path.of(System.getProperty("java.io.tmpdir"));
    }

    /** Bytes that programs can have, also inside of a container. */
    private static long availableMemory() throws IOException {
        long limit = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize() / 2;
        if (!Files.isReadable(MEMORY)) {
            return 0;
        }
        try (Stream<String> lines = Files.lines(MEMORY)) {
            return lines.filter(line -> line.startsWith("MemAvailable:"))
                    .mapToLong(line -> Math.min(limit, Long.parseLong(line.replaceAll("\\D", "")) * 1024))
                    .findFirst()
                    .orElse(0);
        }
    }

    private static boolean isMemory(FileStore store) {
        return List.of("tmpfs", "ramfs").contains(store.type());
    }

    public Path path() {
        return folder.path();
    }

    boolean inMemory() {
        return isMemory(store);
    }

    /**
     * For people.
     *
     * @param what is there, in the plural
     */
    public String describe(String what) {
        Path parent = folder.path().getParent();
        if (inMemory()) {
            return what + " are in memory (" + parent + "), so the disk of this machine plays no part.";
        }
        String why = said != null
                ? "as TMPDIR says"
                : "since no file system in memory has room for them (" + megabytes(least) + ")";
        return what + " are on a disk (" + parent + ", " + store.type() + "), " + why + ".";
    }

    private static String megabytes(long bytes) {
        return Math.round(bytes / 1e6) + " MB";
    }

    /** An archive is not needed any more. On a disk it stays until the end: many file systems create files slowly after large deletions. */
    void done(Path archive) throws IOException {
        if (!keeps) {
            PathUtils.deleteDirectory(archive);
        }
    }

    @Override
    public void close() {
        folder.close();
    }
}
