package io.jenkins.plugins.compressionaware.engine.packed;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** The content of a file, whose failures name the file. Not thread-safe. */
final class NamedInputStream extends FilterInputStream {
    private final String name;

    NamedInputStream(InputStream content, String name) {
        super(content);
        this.name = name;
    }

    static IOException named(String name, IOException e) {
        return new IOException("Cannot read " + name + ": " + e.getMessage(), e);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        try {
            return super.read(target, offset, length);
        } catch (IOException e) {
            throw named(name, e);
        }
    }
}
