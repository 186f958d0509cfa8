package io.jenkins.plugins.compressionaware.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Makes reads of other processes hang, as on a dead file server; see hang.c. */
public final class HangingReads extends LdPreload {
    private final Path waits;

    /** @param folder for the files of this class */
    public HangingReads(Path folder) throws IOException {
        super(folder, "hang");
        waits = folder.resolve("hang.waits");
    }

    /** Blocks reads below the folder until {@link #close}. */
    public void hang(Path folder) throws IOException {
        Files.deleteIfExists(waits);
        Path whole = Files.writeString(control.resolveSibling("hang.new"), folder.toRealPath() + "/");
        Files.move(whole, control, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Returns whether a read has blocked since {@link #hang}. */
    public boolean wasMet() {
        return Files.exists(waits);
    }

    @Override
    public void close() throws IOException {
        Files.deleteIfExists(control);
    }
}
