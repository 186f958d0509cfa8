package io.jenkins.plugins.compressionaware.bench;

import com.github.luben.zstd.ZstdOutputStream;
import io.jenkins.plugins.compressionaware.codec.BlockEncoder;
import io.jenkins.plugins.compressionaware.codec.Checksum;
import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.codec.Frames;
import io.jenkins.plugins.compressionaware.demo.DataSet;
import io.jenkins.plugins.compressionaware.demo.DataSets;
import io.jenkins.plugins.compressionaware.demo.TempFolder;
import io.jenkins.plugins.compressionaware.send.SendOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/** Compressing 16 MiB of text as one stream on one thread, and as blocks on as many threads as the plugin uses. */
public class BlocksReplay extends Replayed {
    private static final int BLOCK = SendOptions.DEFAULT_BLOCK_SIZE;
    /** About what a tar writes at once, bytes. */
    private static final int WRITE = 10_240;

    @Param({"GZIP", "ZSTD"})
    public Codec codec;

    private byte[] data;
    private final ForkJoinPool threads = new ForkJoinPool(SendOptions.DEFAULT_THREADS);

    @Setup
    public void read() throws IOException {
        try (TempFolder temp = new TempFolder()) {
            Path repository = Path.of(System.getProperty("bench.maven.repository"));
            DataSet set = new DataSets(temp.path(), repository).get("text", 16 << 20);
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (String name : set.listing().names()) {
                Files.copy(set.folder().resolve(name), all);
            }
            data = all.toByteArray();
        }
    }

    @TearDown
    public void end() {
        threads.shutdown();
    }

    @Benchmark
    public void oneStream() throws IOException {
        OutputStream nowhere = OutputStream.nullOutputStream();
        try (OutputStream out = codec == Codec.GZIP
                ? new GZIPOutputStream(nowhere)
                : new ZstdOutputStream(nowhere, codec.defaultLevel())) {
            for (int done = 0; done < data.length; done += WRITE) {
                out.write(data, done, Math.min(WRITE, data.length - done));
            }
        }
    }

    @Benchmark
    public long blocks() throws InterruptedException, ExecutionException {
        int count = (data.length + BLOCK - 1) / BLOCK;
        return threads.submit(() -> IntStream.range(0, count).parallel().mapToLong(this::encode).sum()).get();
    }

    private long encode(int block) {
        try (BlockEncoder encoder = codec.newEncoder(codec.defaultLevel())) {
            byte[] frame = new byte[Frames.bound(codec, encoder, BLOCK)];
            byte[] raw = Arrays.copyOfRange(data, block * BLOCK, Math.min((block + 1) * BLOCK, data.length));
            return Frames.encode(codec, encoder, Checksum.XXH64, block, raw, raw.length, frame);
        }
    }
}
