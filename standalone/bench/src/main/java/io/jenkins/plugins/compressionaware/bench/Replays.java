package io.jenkins.plugins.compressionaware.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The second table: what others reported, made again. */
final class Replays {
    private final Options options;
    private final DataSets dataSets;
    private final Path temp;
    private final Progress progress;

    Replays(Options options, DataSets dataSets, Path temp, Progress progress) {
        this.options = options;
        this.dataSets = dataSets;
        this.temp = temp;
        this.progress = progress;
    }

    List<Replay> measure() throws IOException, InterruptedException {
        long megabytes = options.quick ? 16 : 128;
        DataSet text = dataSets.get("text", megabytes << 20);
        List<Replay> replays = new ArrayList<>();
        replays.add(new TlsReplay(temp, 8 * megabytes << 20).measure(rounds()));
        replays.add(new ChecksumReplay(8 * megabytes << 20).measure(rounds()));
        replays.add(new ForkReplay(text, temp, options.quick ? 512 : 2048).measure(options.rounds(), progress));
        replays.add(new BlocksReplay(text).measure(rounds()));
        return replays;
    }

    private Rounds rounds() {
        return new Rounds(options.rounds(), progress);
    }

    /** A row of the second table. */
    static Row row(String data, String variant, long bytes) {
        return new Row(Section.REPLAYS, "", data, variant, bytes);
    }

    static double cpu(Row row) {
        return row.cpu().orElseThrow().median();
    }

    static double wall(Row row) {
        return row.wall().orElseThrow().median();
    }
}
