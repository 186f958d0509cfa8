package io.jenkins.plugins.compressionaware.testing;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** A lane on which a test acts before each write. Writes are counted from 1. */
public final class LaneHook extends FilterOutputStream {
    private final Action action;
    private int writes;

    @FunctionalInterface
    public interface Action {
        /** Returns whether to perform the write. */
        boolean before(int write, int length) throws IOException;
    }

    public LaneHook(OutputStream out, Action action) {
        super(out);
        this.action = action;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        if (action.before(++writes, length)) {
            out.write(bytes, offset, length);
        }
    }
}
