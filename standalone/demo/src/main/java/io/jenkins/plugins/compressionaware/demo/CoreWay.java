package io.jenkins.plugins.compressionaware.demo;

import io.jenkins.plugins.compressionaware.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.tar.Helpers;
import io.jenkins.plugins.compressionaware.tar.TarPacker;
import io.jenkins.plugins.compressionaware.tar.TarSink;
import io.jenkins.plugins.compressionaware.tar.TarUnpacker;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.io.input.BoundedInputStream;

/** What Jenkins core does between the tar entries and the channel: one gzip stream, and a flush after each record of the tar. */
final class CoreWay {
    private static final int RECORD = 10_240;

    private CoreWay() {}

    /** The agent's end. Does not close {@code wire}. */
    static void send(Path base, Map<String, String> files, OutputStream wire) throws IOException {
        OutputStream buffered = new BufferedOutputStream(wire);
        GZIPOutputStream compressed = new GZIPOutputStream(buffered);
        TarPacker packer = new TarPacker(new Records(compressed));
        packer.pack(base, files);
        packer.close();
        compressed.finish();
        buffered.flush();
    }

    /**
     * The controller's end. Does not close {@code wire}.
     *
     * @param folder exists and is empty
     */
    static ReceiveReport receive(InputStream wire, Path folder, Set<String> names) throws IOException {
        TarUnpacker unpacker = new TarUnpacker(folder, names, Helpers.NONE, null);
        BoundedInputStream received = counting(wire);
        try (InputStream plain = new GZIPInputStream(new BufferedInputStream(received))) {
            BoundedInputStream tar = counting(plain);
            unpacker.unpack(tar);
            return new ReceiveReport(
                    unpacker.entries(), unpacker.contentBytes(), tar.getCount(), received.getCount(), 0, 0, 0, -1, unpacker.warnings(), 0);
        }
    }

    /** To close it leaves the counted stream open. */
    private static BoundedInputStream counting(InputStream in) throws IOException {
        return BoundedInputStream.builder().setInputStream(in).setPropagateClose(false).get();
    }

    private static final class Records extends TarSink {
        private final OutputStream out;
        private final byte[] record = new byte[RECORD];
        private int filled;

        Records(OutputStream out) {
            this.out = out;
        }

        @Override
        public void startEntry(String name, long size) {
            // core does not care
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            int done = 0;
            while (done < length) {
                int n = Math.min(length - done, RECORD - filled);
                System.arraycopy(bytes, offset + done, record, filled, n);
                filled += n;
                done += n;
                if (filled == RECORD) {
                    send();
                }
            }
        }

        private void send() throws IOException {
            out.write(record, 0, filled);
            out.flush();
            filled = 0;
        }

        @Override
        public void close() throws IOException {
            send();
        }
    }
}
