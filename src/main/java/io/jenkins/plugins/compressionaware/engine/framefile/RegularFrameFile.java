package io.jenkins.plugins.compressionaware.engine.framefile;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.codec.CodecLibrary;
import io.jenkins.plugins.compressionaware.engine.tar.SelectedFiles;
import java.io.EOFException;
import java.io.IOException;
import java.util.Set;

/** The frames of a complete file, or those with selected files. */
final class RegularFrameFile implements FrameFile {
    private final RangeReader file;
    private final FrameFileFooter footer;
    private final SelectedFiles selected;
    private volatile IOException failure;

    /** @param selected null for all files */
    RegularFrameFile(RangeReader file, @CheckForNull SelectedFiles selected) throws IOException {
        this.file = file;
        footer = FrameFileFooter.of(file);
        this.selected = selected == null ? SelectedFiles.all(footer.framesEnd()) : selected;
    }

    @Override
    public String name() {
        return file.name();
    }

    @Override
    @CheckForNull
    public StoredRecord stored() {
        return file instanceof StoredFile remote ? remote.record() : null;
    }

    @Override
    public SelectedFiles selected() {
        return selected;
    }

    @Override
    public Object identity() {
        return selected.deflated() == null ? file.identity() : this;
    }

    @Override
    public long wireBytes() {
        return selected.wireBytes();
    }

    @Override
    public long rawBytes() {
        return selected.deflated() == null ? footer.rawBytes() : selected.rawBytes();
    }

    @Override
    public int blockSize() {
        return footer.blockSize();
    }

    @Override
    public Set<CodecLibrary> libraries() {
        return footer.libraries();
    }

    @Override
    @CheckForNull
    public IOException failure() {
        return failure;
    }

    @Override
    public void read(long from, byte[] target, int offset, int length) throws IOException {
        if (from < 0 || length < 0 || length > footer.framesEnd() - from) {
            throw new EOFException(file.name() + " has no " + length + " bytes at " + from);
        }
        try {
            if (selected.deflated() != null) {
                throw new IOException("Some files of " + file.name() + " can only be read from the store");
            }
            file.read(from, target, offset, length);
        } catch (IOException e) {
            failure = e;
            throw e;
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
