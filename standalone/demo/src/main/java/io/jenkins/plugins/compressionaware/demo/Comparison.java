package io.jenkins.plugins.compressionaware.demo;

import io.jenkins.plugins.compressionaware.testkit.Trees;
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
import java.util.Optional;

/** Archives one folder in every way, in turns, and checks each result. */
public final class Comparison {
    private static final long WARM_UP = 24_000_000;
    /** Seconds after which no further round begins, unless a whole one fits. */
    private static final double PATIENCE = 120;

    private final Path folder;
    private final Listing listing;
    private final WorkPlace place;
    private final PrintStream out;
    private int archives;

    public Comparison(Path folder, Listing listing, WorkPlace place, PrintStream out) {
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
    public Measured run(int rounds) throws IOException, InterruptedException {
        // native code of the codecs cannot be loaded from some file systems in memory
        try (TempFolder libraries = new TempFolder();
                AgentProcess agent = new AgentProcess(libraries.path());
                Controller controller = new Controller(agent)) {
            out.println("Controller: process " + ProcessHandle.current().pid() + ". Agent: process " + agent.pid()
                    + ", started with " + AgentProcess.HEAP + ". Between them: sockets on the loopback interface.");
            Map<Way, List<Measurement>> measured = new EnumMap<>(Way.class);
            List<Double> copies = new ArrayList<>();
            round("Warming up with a part of the files", controller, listing.part(WARM_UP), new EnumMap<>(Way.class), copies);
            copies.clear();
            double left = PATIENCE;
            double last = 0;
            for (int i = 1; i <= rounds && last <= left; i++) {
                last = round("Round " + i + " of " + rounds, controller, listing.names(), measured, copies);
                left -= last;
            }
            if (copies.size() < rounds) {
                out.println("No further round: it would take too long.");
            }
            return new Measured(measured, place.inMemory() ? 0 : Measured.median(copies));
        }
    }

    private double round(
            String title, Controller controller, List<String> names, Map<Way, List<Measurement>> all, List<Double> copies)
            throws IOException, InterruptedException {
        long start = System.nanoTime();
        out.print(title + ":");
        for (Way way : Way.values()) {
            out.print(" " + way.id() + " ");
            out.flush();
            Measurement measurement = archive(controller, way, names);
            all.computeIfAbsent(way, key -> new ArrayList<>()).add(measurement);
            out.printf(Locale.ROOT, "%.2f s,", measurement.wallSeconds());
        }
        copies.add(place.inMemory() ? 0 : copy(names));
        out.println(" all archives are equal to the files.");
        return (System.nanoTime() - start) / 1e9;
    }

    private Measurement archive(Controller controller, Way way, List<String> names)
            throws IOException, InterruptedException {
        Path archive = next();
        Measurement measurement;
        try {
            measurement = controller.archive(new Order(folder, names, way), archive);
        } catch (IOException e) {
            out.println("failed");
            throw e;
        }
        Optional<String> difference = Trees.difference(folder, archive, names);
        if (difference.isPresent()) {
            out.println("archive differs");
            throw new IOException("The archive made with " + way.label() + " differs from its source: "
                    + difference.get());
        }
        place.done(archive);
        return measurement;
    }

    /** Seconds that it takes to write the files without any transfer: no way can be faster than the disk is. */
    private double copy(List<String> names) throws IOException {
        Path copy = next();
        long start = System.nanoTime();
        for (String name : names) {
            Path to = copy.resolve(name);
            Files.createDirectories(to.getParent());
            Files.copy(
                    folder.resolve(name), to, LinkOption.NOFOLLOW_LINKS, StandardCopyOption.COPY_ATTRIBUTES);
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        place.done(copy);
        return seconds;
    }

    private Path next() {
        return place.path().resolve("archive-" + ++archives);
    }
}
