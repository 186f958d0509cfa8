package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.codec.BlockDecoder;
import io.jenkins.plugins.compressionaware.codec.BlockEncoder;
import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.codec.CorruptFrameException;
import io.jenkins.plugins.compressionaware.demo.DataSet;
import io.jenkins.plugins.compressionaware.demo.DataSets;
import io.jenkins.plugins.compressionaware.demo.TempFolder;
import io.jenkins.plugins.compressionaware.send.SendOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** One block there and back, with every codec at its default level: microseconds per block of 256 KiB. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Thread)
public class CodecBenchmark {
    private static final int BLOCK = SendOptions.DEFAULT_BLOCK_SIZE;

    @Param
    public Codec codec;

    @Param({"random", "jars", "text"})
    public String data;

    private byte[] raw;
    private byte[] body;
    private int bodyLength;
    private byte[] target;
    private BlockEncoder encoder;
    private BlockDecoder decoder;

    @Setup
    public void prepare() throws IOException {
        raw = block(data);
        encoder = codec.newEncoder(codec.defaultLevel());
        decoder = codec.newDecoder();
        target = new byte[encoder.bound(BLOCK)];
        body = new byte[encoder.bound(BLOCK)];
        bodyLength = encoder.encode(raw, BLOCK, body, 0);
    }

    /** The start of a data set. */
    static byte[] block(String name) throws IOException {
        try (TempFolder temp = new TempFolder()) {
            Path repository = Path.of(System.getProperty("bench.maven.repository"));
            DataSet set = new DataSets(temp.path(), repository).get(name, 8L * BLOCK);
            byte[] block = new byte[BLOCK];
            int filled = 0;
            for (String file : set.listing().names()) {
                byte[] content = Files.readAllBytes(set.folder().resolve(file));
                int n = Math.min(content.length, BLOCK - filled);
                System.arraycopy(content, 0, block, filled, n);
                filled += n;
            }
            return block;
        }
    }

    @TearDown
    public void release() {
        encoder.close();
        decoder.close();
    }

    @Benchmark
    public int encode() {
        return encoder.encode(raw, BLOCK, target, 0);
    }

    @Benchmark
    public byte[] decode() throws CorruptFrameException {
        decoder.decode(body, 0, bodyLength, target, BLOCK);
        return target;
    }
}
