package io.jenkins.plugins.compressionaware.engine.tar;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Date;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Unpacks into a folder, with a number of files in parallel. */
@Timeout(60)
abstract class WorkspaceTestBase {
    /** Number of files in parallel. */
    @Parameter
    int writers;

    @TempDir
    Path tmp;

    static TarBytes tar() {
        return new TarBytes();
    }

    static TarBytes file(String name, int mode) {
        TarArchiveEntry entry = new TarArchiveEntry(name);
        entry.setMode(mode);
        entry.setModTime(new Date(1_700_000_000_000L));
        return tar().entry(entry, "new");
    }

    void unpack(Path folder, boolean follows, byte[] tar) throws IOException {
        unpack(new Workspace(folder, new FileCreator(folder), follows), tar);
    }

    TarUnpacker unpack(Workspace workspace, byte[] tar) throws IOException {
        return unpack(workspace, new ByteArrayInputStream(tar));
    }

    TarUnpacker unpack(Workspace workspace, InputStream tar) throws IOException {
        TarUnpacker unpacker = new TarUnpacker(workspace, null, UnpackHarness.files(writers), EntryDecoder.NONE);
        try {
            unpacker.unpack(tar);
        } finally {
            unpacker.close(() -> {});
        }
        return unpacker;
    }

    static int sh(Path folder, String script) throws Exception {
        return new ProcessBuilder("sh", "-c", script)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }
}
