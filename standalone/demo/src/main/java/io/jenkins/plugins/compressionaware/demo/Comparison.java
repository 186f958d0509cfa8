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

/** Archives one folder in every way, in turns, and checks each result. */
public final class Comparison {
    private static final long WARM_UP = 24_000_000;
    /** Seconds after which no further round begins, unless a whole one fits. */
    private static final double PATIENCE = 120;

    private final Path folder;
    private final Listing listing;
    private final ScratchFolder place;
    private final PrintStream out;
    private final Map<Way, List<Sample>> samples = new EnumMap<>(Way.class);
    private final List<Double> copies = new ArrayList<>();
    private int archives;

    public Comparison(Path folder, Listing listing, ScratchFolder place, PrintStream out) {
        this.folder = folder;
        this.listing = listing;
        this.place = place;
        this.out = out;
    }

    /** How many archives there are of all files, those without a transfer among them. */
    static int archives(int rounds) {
        return rounds * (Way.values().length + 1);
    }

    /**
     * Measures all ways.
     *
     * @param rounds how often, unless that takes too long
     * @throws IOException naming the way and the reason
     */
    public Measurement run(int rounds) throws IOException, InterruptedException {
        // native code of the codecs cannot be loaded from some file systems in memory
        try (TempFolder libraries = new TempFolder();
                Controller controller = new Controller(libraries.path())) {
            out.println("Controller: process " + ProcessHandle.current().pid() + ". Agent: process " + controller.agentPid()
                    + ", started with " + Controller.HEAP + ". Between them: sockets on the loopback interface.");
            round("Warming up with a part of the files", controller, listing.part(WARM_UP));
            samples.clear();
            copies.clear();
            double left = PATIENCE;
            double last = 0;
            for (int i = 1; i <= rounds && last <= left; i++) {
                last = round("Round " + i + " of " + rounds, controller, listing.names());
                left -= last;
            }
            if (copies.size() < rounds) {
                out.println("No further round: it would take too long.");
            }
            double copy = new Distribution(copies.stream().mapToDouble(Double::doubleValue).toArray()).median();
            return new Measurement(samples, listing.bytes(), copy);
        }
    }

    private double round(String title, Controller controller, List<String> names)
            throws IOException, InterruptedException {
        long start = System.nanoTime();
        out.print(title + ":");
        for (Way way : Way.values()) {
            out.print(" " + way.id() + " ");
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
            place.done(archive);
            samples.computeIfAbsent(way, key -> new ArrayList<>()).add(sample);
            out.printf(Locale.ROOT, "%.2f s,", sample.wallSeconds);
        }
        copies.add(place.inMemory() ? 0 : copy(names));
        out.println(" all archives are equal to the files.");
        return (System.nanoTime() - start) / 1e9;
    }

    /** Seconds that it takes to write the files without any transfer: no way can be faster than the disk is. */
    private double copy(List<String> names) throws IOException {
        Path copy = next();
        long start = System.nanoTime();
        for (String name : names) {
            Path to = copy.resolve(name);
            Files.createDirectories(to.getParent());
            Files.copy(folder.resolve(name), to, LinkOption.NOFOLLOW_LINKS, StandardCopyOption.COPY_ATTRIBUTES);
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        place.done(copy);
        return seconds;
    }

    private Path next() {
        return place.path().resolve("archive-" + ++archives);
    }
}
