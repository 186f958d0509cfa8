package io.jenkins.plugins.compressionaware.bench;

import com.github.luben.zstd.ZstdOutputStream;
import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.demo.Cpu;
import io.jenkins.plugins.compressionaware.demo.Listing;
import io.jenkins.plugins.compressionaware.tar.TarPacker;
import io.jenkins.plugins.compressionaware.tar.TarSink;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.GZIPOutputStream;

/** The JVM with the large heap. */
final class ForkProbe {
    private final Path source;
    private final Path temp;
    private final Map<String, String> files = new HashMap<>();

    private ForkProbe(Path source, Path temp) throws IOException {
        this.source = source;
        this.temp = temp;
        Listing.of(source).names().forEach(name -> files.put(name, name));
    }

    /** What it does. */
    enum Work {
        LAUNCH("starting the program true", false) {
            @Override
            double run(ForkProbe probe) throws IOException, InterruptedException {
                new ProcessBuilder("true").start().waitFor();
                return 0;
            }
        },
        EXTERNAL("tar | gzip, external", true) {
            @Override
            double run(ForkProbe probe) throws IOException, InterruptedException {
                return Programs.start(probe.temp, "tar -C \"$1\" -cf - . | gzip > /dev/null", probe.source.toString())
                        .cpuSeconds();
            }
        },
        GZIP("tar and gzip, in process", true) {
            @Override
            double run(ForkProbe probe) throws IOException {
                probe.pack(new GZIPOutputStream(OutputStream.nullOutputStream()));
                return 0;
            }
        },
        ZSTD("tar and zstd, in process", true) {
            @Override
            double run(ForkProbe probe) throws IOException {
                probe.pack(new ZstdOutputStream(OutputStream.nullOutputStream(), Codec.ZSTD.defaultLevel()));
                return 0;
            }
        };

        private final String title;
        private final boolean moves;

        Work(String title, boolean moves) {
            this.title = title;
            this.moves = moves;
        }

        String title() {
            return title;
        }

        /** Whether it has to do with the files. */
        boolean moves() {
            return moves;
        }

        /** Returns the CPU seconds of other processes. */
        abstract double run(ForkProbe probe) throws IOException, InterruptedException;
    }

    /** Arguments: folder to read, folder for temporary files, rounds. Prints work, wall and CPU seconds, a line per run. */
    public static void main(String[] args) throws IOException, InterruptedException {
        ForkProbe probe = new ForkProbe(Path.of(args[0]), Path.of(args[1]));
        for (Work work : Work.values()) {
            work.run(probe);
        }
        int rounds = Integer.parseInt(args[2]);
        for (int round = 0; round < rounds; round++) {
            for (Work work : Work.values()) {
                long start = System.nanoTime();
                long cpu = Cpu.nanos();
                double others = work.run(probe);
                double wall = (System.nanoTime() - start) / 1e9;
                System.out.println(work.ordinal() + " " + wall + " " + (others + (Cpu.nanos() - cpu) / 1e9));
            }
        }
    }

    private void pack(OutputStream out) throws IOException {
        try (out) {
            TarPacker packer = new TarPacker(new Sink(out));
            packer.pack(source, files);
            packer.close();
        }
    }

    /** A tar without blocks. */
    private static final class Sink extends TarSink {
        private final OutputStream out;

        Sink(OutputStream out) {
            this.out = out;
        }

        @Override
        public void startEntry(String name, long size) {
            // one entry is like another
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
        }
    }
}
