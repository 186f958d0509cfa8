package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.adapt.AutoOptions;
import io.jenkins.plugins.compressionaware.adapt.Decision;
import io.jenkins.plugins.compressionaware.adapt.LaneWrite;
import io.jenkins.plugins.compressionaware.adapt.Selector;
import io.jenkins.plugins.compressionaware.send.SendOptions;
import java.io.IOException;
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
import org.openjdk.jmh.annotations.Warmup;

/** What {@code auto} adds to a block: the probe, the choice, and taking in how it went. Microseconds per block of 256 KiB. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Thread)
public class SelectorBenchmark {
    /** Time of a block on an imagined link of 250 MB/s, nanoseconds. */
    private static final long SENT = 1_000_000;

    @Param({"random", "jars", "text"})
    public String data;

    private byte[] block;
    private Selector selector;

    @Setup
    public void prepare() throws IOException {
        block = CodecBenchmark.block(data);
        selector = new Selector(new AutoOptions(SendOptions.DEFAULT_THREADS));
    }

    @Benchmark
    public Decision block() {
        Decision decision = selector.choose(block, block.length, "file." + data);
        selector.compressed(decision, block.length / 2, SENT / 2);
        selector.sent(new LaneWrite(block.length / 2, SENT, 0, 0));
        return decision;
    }
}
