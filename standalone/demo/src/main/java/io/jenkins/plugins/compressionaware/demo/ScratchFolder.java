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

/**
 * The temporary folder of a measurement: in memory if the files fit, so that the disk of this machine is not measured.
 */
public final class ScratchFolder implements Closeable {
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final Path MEMORY = Path.of("/proc/meminfo");

    private final String tmpdir = System.getenv("TMPDIR");
    private final TempFolder folder;
    private final FileStore store;
    private final long minBytes;
    private final boolean keepsArchives;

    /**
     * Creates a folder below the user's TMPDIR, else in memory, else in the default folder for temporary files.
     *
     * @param minBytes bytes required if each archive is deleted before the next
     * @param all      bytes required to keep all archives
     * @throws IOException if less than {@code minBytes} are free
     */
    public ScratchFolder(long minBytes, long all) throws IOException {
        this.minBytes = minBytes;
        folder = new TempFolder(parent(tmpdir, SHARED_MEMORY, availableMemory(), minBytes));
        store = Files.getFileStore(folder.path());
        long free = store.getUsableSpace();
        if (free < minBytes) {
            folder.close();
            throw new IOException(
                    folder.path().getParent() + " has " + megabytes(free) + " free; " + megabytes(minBytes) + " are required");
        }
        keepsArchives = !inMemory() && free > all;
    }

    /**
     * Returns the parent folder to use.
     *
     * @param tmpdir    set by the user, or null
     * @param memory    path of a file system in memory, which may not exist
     * @param available bytes of free memory
     * @param needed    bytes of the files
     */
    static Path parent(String tmpdir, Path memory, long available, long needed) throws IOException {
        boolean fits = tmpdir == null
                && Files.isDirectory(memory)
                && Files.isWritable(memory)
                && isMemory(Files.getFileStore(memory))
                && Files.getFileStore(memory).getUsableSpace() >= needed
                // the other half is for the two processes and other programs
                && available >= 2 * needed;
        return fits ? memory : Path.of(System.getProperty("java.io.tmpdir"));
    }

    /** Returns the bytes that programs can allocate, also inside a container. */
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
     * Describes the location for the user.
     *
     * @param what files, in the plural
     */
    public String describe(String what) {
        Path parent = folder.path().getParent();
        if (inMemory()) {
            return what + " are in memory (" + parent + "), so the disk of this machine is not measured.";
        }
        String why = tmpdir != null
                ? "as set by TMPDIR"
                : "because no file system in memory has enough space (" + megabytes(minBytes) + ")";
        return what + " are on a disk (" + parent + ", " + store.type() + "), " + why + ".";
    }

    private static String megabytes(long bytes) {
        return Math.round(bytes / 1e6) + " MB";
    }

    /**
     * Deletes an archive. On a disk with enough space, it is kept until the end, because many file systems create files
     * slowly after large deletions.
     */
    void done(Path archive) throws IOException {
        if (!keepsArchives) {
            PathUtils.deleteDirectory(archive);
        }
    }

    @Override
    public void close() {
        folder.close();
    }
}
