package io.jenkins.plugins.compressionaware.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Lets reads of other processes wait, as those of a file server that has died: see hang.c. */
public final class HangingReads extends LdPreload {
    private final Path waits;

    /** @param folder for its files */
    public HangingReads(Path folder) throws IOException {
        super(folder, "hang");
        waits = folder.resolve("hang.waits");
    }

    /** From now on nothing below the folder is read until {@link #close}. */
    public void hang(Path folder) throws IOException {
        Files.deleteIfExists(waits);
        Path whole = Files.writeString(control.resolveSibling("hang.new"), folder.toRealPath() + "/");
        Files.move(whole, control, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Whether somebody has waited since {@link #hang}. */
    public boolean wasMet() {
        return Files.exists(waits);
    }

    @Override
    public void close() throws IOException {
        Files.deleteIfExists(control);
    }
}
