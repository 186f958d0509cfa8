package io.jenkins.plugins.compressionaware.demo;

import io.jenkins.plugins.compressionaware.engine.run.DiskHelpers;
import io.jenkins.plugins.compressionaware.engine.tar.EntryDecoder;
import io.jenkins.plugins.compressionaware.engine.tar.EntryEncoder;
import io.jenkins.plugins.compressionaware.engine.tar.TarPacker;
import io.jenkins.plugins.compressionaware.engine.tar.TarSink;
import io.jenkins.plugins.compressionaware.engine.tar.TarUnpacker;
import io.jenkins.plugins.compressionaware.testing.RefusingExecutor;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.utils.FixedLengthBlockOutputStream;
import org.apache.commons.io.input.BoundedInputStream;

/** The protocol of Jenkins core: a tar in one gzip stream, flushed after each tar record. */
final class CoreTransfer {
    private static final int RECORD = 10_240;

    private CoreTransfer() {}

    /** Sends files. Does not close {@code wire}. */
    static void send(Path base, Map<String, String> files, OutputStream wire) throws IOException {
        OutputStream buffered = new BufferedOutputStream(wire);
        GZIPOutputStream compressed = new GZIPOutputStream(buffered);
        TarPacker packer = new TarPacker(new Records(compressed), RefusingExecutor::refuse, EntryEncoder.NONE);
        packer.pack(base, files);
        packer.close();
        compressed.finish();
        buffered.flush();
    }

    /**
     * Unpacks files, and returns the number of bytes received. Does not close {@code wire}.
     *
     * @param folder exists and is empty
     */
    static long receive(InputStream wire, Path folder, Set<String> names) throws IOException {
        BoundedInputStream received = BoundedInputStream.builder()
                .setInputStream(wire)
                .setPropagateClose(false)
                .get();
        try (InputStream tar = new GZIPInputStream(new BufferedInputStream(received))) {
            new TarUnpacker(folder, names, DiskHelpers.NONE, EntryDecoder.NONE).unpack(tar);
        }
        return received.getCount();
    }

    private static final class Records extends TarSink {
        private final FixedLengthBlockOutputStream records;

        Records(OutputStream out) {
            OutputStream flushed = new FilterOutputStream(out) {
                @Override
                public void write(byte[] record, int offset, int length) throws IOException {
                    out.write(record, offset, length);
                    out.flush();
                }
            };
            records = new FixedLengthBlockOutputStream(flushed, RECORD);
        }

        @Override
        public void startEntry(String name, long size) {
            // core does not use entry boundaries
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            records.write(bytes, offset, length);
        }

        @Override
        public void close() throws IOException {
            records.flushBlock();
        }
    }
}
