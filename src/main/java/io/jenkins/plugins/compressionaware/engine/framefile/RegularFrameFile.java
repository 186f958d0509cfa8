package io.jenkins.plugins.compressionaware.engine.framefile;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.codec.CodecLibrary;
import java.io.EOFException;
import java.io.IOException;
import java.util.Set;

/** The frames of a complete file. */
final class RegularFrameFile implements FrameFile {
    private final RangeReader file;
    private final FrameFileFooter footer;
    private volatile IOException failure;

    RegularFrameFile(RangeReader file) throws IOException {
        this.file = file;
        footer = FrameFileFooter.of(file);
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
    public Object identity() {
        return file.identity();
    }

    @Override
    public long wireBytes() {
        return footer.framesEnd();
    }

    @Override
    public long rawBytes() {
        return footer.rawBytes();
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
