package io.jenkins.plugins.compressionaware.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Archives a folder in several rounds, once per {@link Way} and round, and verifies each archive. */
public final class Comparison {
    private static final long WARM_UP = 24_000_000;
    /** Time limit in seconds. A further round starts only if it fits. */
    private static final double TIME_LIMIT_SECONDS = 120;

    private final Path folder;
    private final Listing listing;
    private final ScratchFolder scratch;
    private final PrintStream out;
    private final Map<Way, List<Sample>> samples = new EnumMap<>(Way.class);
    private final List<Double> copies = new ArrayList<>();
    private int archives;

    public Comparison(Path folder, Listing listing, ScratchFolder scratch, PrintStream out) {
        this.folder = folder;
        this.listing = listing;
        this.scratch = scratch;
        this.out = out;
    }

    /** Returns the number of archives and plain copies of all files. */
    static int archives(int rounds) {
        return rounds * (Way.values().length + 1);
    }

    /**
     * Measures all ways.
     *
     * @param rounds maximum number of rounds
     * @throws IOException naming the way and the reason
     */
    public Measurement run(int rounds) throws IOException, InterruptedException {
        // some file systems in memory do not allow native libraries
        try (TempFolder libraries = new TempFolder();
                Controller controller = new Controller(libraries.path())) {
            out.println("Controller: process " + ProcessHandle.current().pid() + ". Agent: process "
                    + controller.agentPid() + ", started with " + Controller.HEAP
                    + ". Between them: sockets on the loopback interface.");
            round("Warming up with a part of the files", controller, listing.part(WARM_UP));
            Path stash = Files.createDirectories(next()).resolve("stash");
            IndependentReader.check(folder, listing.part(WARM_UP), stash);
            scratch.done(stash.getParent());
            out.println("Commons Compress reads the same files from a stash.");
            samples.clear();
            copies.clear();
            double left = TIME_LIMIT_SECONDS;
            double last = 0;
            for (int i = 1; i <= rounds && last <= left; i++) {
                last = round("Round " + i + " of " + rounds, controller, listing.names());
                left -= last;
            }
            if (copies.size() < rounds) {
                out.println("Skipped the remaining rounds because they would take too long.");
            }
            double copy = new Distribution(
                            copies.stream().mapToDouble(Double::doubleValue).toArray())
                    .median();
            return new Measurement(samples, listing.bytes(), copy);
        }
    }

    private double round(String title, Controller controller, List<String> names)
            throws IOException, InterruptedException {
        long start = System.nanoTime();
        out.print(title + ":");
        for (Way way : Way.values()) {
            out.print((way.ordinal() == 0 ? " " : ", ") + way.id() + " ");
            out.flush();
            Path archive = next();
            Sample sample;
            try {
                sample = controller.archive(folder, names, way, archive);
                DataSet.check(way.label(), folder, archive, names);
            } catch (IOException e) {
                out.println("failed");
                throw e;
            }
            scratch.done(archive);
            samples.computeIfAbsent(way, key -> new ArrayList<>()).add(sample);
            out.printf(Locale.ROOT, "%.2f s", sample.wallSeconds);
        }
        copies.add(scratch.inMemory() ? 0 : copy(names));
        out.println("; every archive matches its source.");
        return (System.nanoTime() - start) / 1e9;
    }

    /** Returns the seconds that writing the files takes without a transfer, which is the disk's limit for all ways. */
    private double copy(List<String> names) throws IOException {
        Path copy = next();
        long start = System.nanoTime();
        for (String name : names) {
            Path to = copy.resolve(name);
            Files.createDirectories(to.getParent());
            Files.copy(folder.resolve(name), to, LinkOption.NOFOLLOW_LINKS, StandardCopyOption.COPY_ATTRIBUTES);
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        scratch.done(copy);
        return seconds;
    }

    private Path next() {
        return scratch.path().resolve("archive-" + ++archives);
    }
}
