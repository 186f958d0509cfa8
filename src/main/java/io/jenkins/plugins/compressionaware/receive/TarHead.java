package io.jenkins.plugins.compressionaware.receive;

import java.io.IOException;
import java.io.InputStream;

/** Tar bytes that come another way, before those of the frames. */
public interface TarHead {
    /** None: everything comes in frames. */
    TarHead NONE = new TarHead() {
        @Override
        public InputStream tar() {
            return InputStream.nullInputStream();
        }

        @Override
        public boolean isAll() {
            return false;
        }

        @Override
        public long wireBytes() {
            return 0;
        }
    };

    /** Whole entries; the end of the archive only if {@link #isAll}. */
    InputStream tar();

    /** Whether there are no frames. Asked once, at the end of {@link #tar}. */
    boolean isAll() throws IOException;

    /** Bytes that have come so far, as they came. */
    long wireBytes();
}
