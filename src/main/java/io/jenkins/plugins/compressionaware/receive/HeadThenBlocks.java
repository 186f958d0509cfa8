package io.jenkins.plugins.compressionaware.receive;

import java.io.IOException;
import java.io.InputStream;

/** The head's bytes and then, unless they are all, those of the blocks. */
final class HeadThenBlocks extends InputStream {
    private final TarHead head;
    private final InputStream blocks;
    private InputStream current;

    HeadThenBlocks(TarHead head, InputStream blocks) {
        this.head = head;
        this.blocks = blocks;
        current = head.tar();
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        int n = current.read(target, offset, length);
        if (n >= 0 || current == blocks || head.isAll()) {
            return n;
        }
        current = blocks;
        return blocks.read(target, offset, length);
    }
}
