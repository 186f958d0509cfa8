package io.jenkins.plugins.compressionaware.testkit;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;

/** Lets reads of other processes wait, as those of a file server that has died: see hang.c. */
public final class HangingReads implements Closeable {
    private final Preloaded library;
    private final Path waits;

    /** @param folder for its files */
    public HangingReads(Path folder) throws IOException {
        library = Preloaded.build(folder, "hang");
        waits = folder.resolve("hang.waits");
    }

    /** Whether there is a compiler here. */
    public boolean works() {
        return library.works();
    }

    /** Of processes that are to have such reads. */
    public Map<String, String> environment() {
        return library.environment("HANG_FILE");
    }

    /** From now on nothing below the folder is read until {@link #close}. */
    public void hang(Path folder) throws IOException {
        Files.deleteIfExists(waits);
        Path whole = Files.writeString(library.control().resolveSibling("hang.new"), folder.toRealPath() + "/");
        Files.move(whole, library.control(), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Whether somebody has waited since {@link #hang}. */
    public boolean wasMet() {
        return Files.exists(waits);
    }

    @Override
    public void close() throws IOException {
        Files.deleteIfExists(library.control());
    }
}
