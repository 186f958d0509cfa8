package io.jenkins.plugins.compressionaware.engine.packed;

import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileFooter;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileWriter;
import io.jenkins.plugins.compressionaware.engine.staging.StagingJournal;
import io.jenkins.plugins.compressionaware.engine.tar.TarWalker;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Collection;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Writes a packed archive: frames as received, then the index of the files in them, footer and seek table. Not thread-safe. */
@Restricted(NoExternalUse.class)
public final class PackedWriter implements Closeable {
    private final FrameFileWriter file;
    private final PackedContents contents;
    private final PackedCommit commit;
    private volatile long storedBytes;

    /**
     * @param archive   folder of the build's artifacts; need not exist
     * @param journal   records the temporary file
     * @param requested names of the files to accept
     * @param blockSize length of the largest block, bytes
     */
    public PackedWriter(Path archive, StagingJournal journal, Collection<String> requested, int blockSize)
            throws IOException {
        contents = new PackedContents(requested);
        commit = new PackedCommit(archive);
        file = new FrameFileWriter(commit.sibling(), journal, blockSize);
    }

    /** Stores a verified frame. */
    public void append(FrameHeader header, byte[] frame, int length) throws IOException {
        file.append(header, frame, length);
        contents.add(header, length);
    }

    /** Reads the tar in the frames, which must be appended before their bytes are read, and finishes the file. */
    public void read(InputStream tar) throws IOException {
        TarWalker.walk(tar, contents.size(), contents::add);
        contents.check();
        byte[] bytes = contents.index();
        byte[] table = contents.seekTable(bytes.length);
        file.finish(bytes, table);
        storedBytes = file.wireBytes() + bytes.length + FrameFileFooter.FRAME_LENGTH + table.length;
    }

    /** Returns the length of the complete file, bytes. */
    public long storedBytes() {
        return storedBytes;
    }

    /** Adds the complete file to the build's artifacts. */
    public void commit() throws IOException, InterruptedException {
        commit.run(file::commitTo, contents.entries());
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
