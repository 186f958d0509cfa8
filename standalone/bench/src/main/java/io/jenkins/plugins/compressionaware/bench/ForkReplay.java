package io.jenkins.plugins.compressionaware.bench;

import com.github.luben.zstd.ZstdOutputStream;
import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.demo.CoreWay;
import io.jenkins.plugins.compressionaware.demo.DataSet;
import io.jenkins.plugins.compressionaware.demo.DataSets;
import io.jenkins.plugins.compressionaware.demo.TempFolder;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/** External programs against the same in a process with a large heap, for 16 MiB of text. */
@Fork(value = 1, jvmArgsAppend = {"-Xms2g", "-Xmx2g", "-XX:+AlwaysPreTouch"})
public class ForkReplay extends Replayed {
    private TempFolder temp;
    private DataSet set;
    private final Map<String, String> files = new HashMap<>();

    @Setup
    public void collect() throws IOException {
        temp = new TempFolder();
        set = new DataSets(temp.path(), Path.of(System.getProperty("bench.maven.repository"))).get("text", 16 << 20);
        set.listing().names().forEach(name -> files.put(name, name));
    }

    @TearDown
    public void delete() {
        temp.close();
    }

    @Benchmark
    public int startNothing() throws IOException, InterruptedException {
        return new ProcessBuilder("true").start().waitFor();
    }

    @Benchmark
    public double tarAndGzipOutside() throws IOException, InterruptedException {
        return Programs.start(temp.path(), "tar -C \"$1\" -cf - . | gzip > /dev/null", set.folder().toString())
                .cpuSeconds();
    }

    @Benchmark
    public void tarAndGzipInside() throws IOException {
        pack(new GZIPOutputStream(OutputStream.nullOutputStream()));
    }

    @Benchmark
    public void tarAndZstdInside() throws IOException {
        pack(new ZstdOutputStream(OutputStream.nullOutputStream(), Codec.ZSTD.defaultLevel()));
    }

    private void pack(OutputStream out) throws IOException {
        try (out) {
            CoreWay.pack(set.folder(), files, out);
        }
    }
}
