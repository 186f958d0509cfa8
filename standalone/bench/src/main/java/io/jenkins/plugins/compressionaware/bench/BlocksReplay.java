package io.jenkins.plugins.compressionaware.bench;

import com.github.luben.zstd.ZstdOutputStream;
import io.jenkins.plugins.compressionaware.codec.BlockEncoder;
import io.jenkins.plugins.compressionaware.codec.Checksum;
import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.codec.Frames;
import io.jenkins.plugins.compressionaware.demo.Cpu;
import io.jenkins.plugins.compressionaware.send.SendOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPOutputStream;

/** Compressing the same bytes as one stream on one thread, and as blocks on as many threads as the plugin uses. */
final class BlocksReplay {
    private static final int BLOCK = SendOptions.DEFAULT_BLOCK_SIZE;
    private static final int THREADS = SendOptions.DEFAULT_THREADS;
    /** About what a tar writes at once, bytes. */
    private static final int WRITE = 10_240;

    private final DataSet set;
    private byte[] data;

    BlocksReplay(DataSet set) {
        this.set = set;
    }

    /** A stream that compresses. */
    private interface Wrapper {
        OutputStream wrap(OutputStream out) throws IOException;
    }

    Replay measure(Rounds rounds) throws IOException, InterruptedException {
        data = read();
        String blocks = " in blocks of " + BLOCK / 1024 + " KiB, " + THREADS + " threads";
        int level = Codec.ZSTD.defaultLevel();
        add(rounds, "gzip 6, one stream", () -> stream(GZIPOutputStream::new));
        add(rounds, "gzip 6" + blocks, () -> blocks(Codec.GZIP));
        Row stream = add(rounds, "zstd " + level + ", one stream", () -> stream(out -> new ZstdOutputStream(out, level)));
        Row inBlocks = add(rounds, "zstd " + level + blocks, () -> blocks(Codec.ZSTD));
        List<Row> rows = rounds.warmUp().run();
        data = null;
        double faster = Replays.wall(stream) / Replays.wall(inBlocks);
        double larger = inBlocks.wire().orElseThrow().median() / stream.wire().orElseThrow().median();
        String shows = String.format(
                        "With zstd, blocks on %d threads are %.2f times as fast as one stream and make %.1f %% more bytes. ",
                        THREADS, faster, 100 * (larger - 1))
                + (faster > larger
                        ? "What they gain in time outweighs the bytes: that is why the plugin sends blocks that can be compressed, sent"
                                + " over several lanes and decoded apart from each other."
                        : "In this run that does not pay by itself; what remains is that blocks can travel over several lanes and be"
                                + " decoded apart from each other.");
        return new Replay("One big stream against parallel blocks", rows, shows);
    }

    private byte[] read() throws IOException {
        ByteArrayOutputStream all =
                new ByteArrayOutputStream(Math.toIntExact(set.listing().bytes()));
        for (String name : set.listing().names()) {
            Files.copy(set.folder().resolve(name), all);
        }
        return all.toByteArray();
    }

    /** Returns the compressed length. */
    private interface Compression {
        long run() throws IOException, InterruptedException;
    }

    private Row add(Rounds rounds, String variant, Compression compression) {
        Row row = Replays.row(set.name(), variant, data.length);
        rounds.add(row, round -> {
            long start = System.nanoTime();
            long cpu = Cpu.nanos();
            long length = compression.run();
            double wall = (System.nanoTime() - start) / 1e9;
            return new Sample(wall, length, (Cpu.nanos() - cpu) / 1e9, null, null, null, null, null);
        });
        return row;
    }

    private long stream(Wrapper wrapper) throws IOException {
        long[] length = {0};
        OutputStream counter = new OutputStream() {
            @Override
            public void write(int b) {
                length[0]++;
            }

            @Override
            public void write(byte[] bytes, int offset, int count) {
                length[0] += count;
            }
        };
        try (OutputStream out = wrapper.wrap(counter)) {
            for (int done = 0; done < data.length; done += WRITE) {
                out.write(data, done, Math.min(WRITE, data.length - done));
            }
        }
        return length[0];
    }

    private long blocks(Codec codec) throws IOException, InterruptedException {
        AtomicInteger next = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<Long>> parts = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                parts.add(threads.submit(() -> encode(codec, next)));
            }
            long length = 0;
            for (Future<Long> part : parts) {
                length += part.get();
            }
            return length;
        } catch (ExecutionException e) {
            throw new IOException(e);
        } finally {
            threads.shutdown();
        }
    }

    private long encode(Codec codec, AtomicInteger next) {
        try (BlockEncoder encoder = codec.newEncoder(codec.defaultLevel())) {
            byte[] frame = new byte[Frames.bound(codec, encoder, BLOCK)];
            long length = 0;
            for (int block = next.getAndIncrement();
                    (long) block * BLOCK < data.length;
                    block = next.getAndIncrement()) {
                int from = block * BLOCK;
                byte[] raw = Arrays.copyOfRange(data, from, Math.min(from + BLOCK, data.length));
                length += Frames.encode(codec, encoder, Checksum.XXH64, block, raw, raw.length, frame);
            }
            return length;
        }
    }
}
