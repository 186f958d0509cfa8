package io.jenkins.plugins.compressionaware.demo;

import io.jenkins.plugins.compressionaware.testkit.Trees;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Archives one folder in every way, one after the other, and checks each result. */
final class Comparison {
    private static final double MEGABYTE = 1e6;
    /** Below this a single run says little. */
    private static final long SMALL = 64_000_000;

    private static final long WARM_UP = 24_000_000;

    private final Path folder;
    private final Listing listing;
    private final Path temp;
    private final PrintStream out;
    private final int runs;
    private int archives;

    Comparison(Path folder, Listing listing, Path temp, PrintStream out) {
        this.folder = folder;
        this.listing = listing;
        this.temp = temp;
        this.out = out;
        runs = listing.bytes() < SMALL ? 3 : 1;
    }

    /**
     * One measurement per way.
     *
     * @throws IOException naming the way and the reason
     */
    List<Measurement> run() throws IOException, InterruptedException {
        checkSpace();
        try (AgentProcess agent = new AgentProcess(temp);
                Controller controller = new Controller(agent)) {
            out.println("Controller: process " + ProcessHandle.current().pid() + ". Agent: process " + agent.pid()
                    + ", started with " + AgentProcess.HEAP + ". Between them: sockets on the loopback interface.");
            out.println("The archives go to a temporary folder on "
                    + Files.getFileStore(temp).type() + ".");
            out.print("Warming both up with a small part of the files ... ");
            out.flush();
            List<String> few = listing.upTo(WARM_UP);
            for (Way way : Way.compared()) {
                archive(controller, way, few);
            }
            out.println("done.");
            out.println(
                    runs == 1 ? "Every way runs once." : "Every way runs " + runs + " times; the median run is shown.");
            List<Measurement> measurements = new ArrayList<>();
            for (Way way : Way.compared()) {
                measurements.add(measure(controller, way));
            }
            return measurements;
        }
    }

    private void checkSpace() throws IOException {
        long free = Files.getFileStore(temp).getUsableSpace();
        if (free < listing.bytes() * 11 / 10) {
            throw new IOException(String.format(
                    Locale.ROOT,
                    "%s has %.0f MB free, a copy of the files needs %.0f MB",
                    temp.getParent(),
                    free / MEGABYTE,
                    listing.bytes() / MEGABYTE));
        }
    }

    private Measurement measure(Controller controller, Way way) throws IOException, InterruptedException {
        out.print("  " + way.label() + " ... ");
        out.flush();
        List<Measurement> measurements = new ArrayList<>();
        for (int run = 0; run < runs; run++) {
            measurements.add(archive(controller, way, listing.names()));
        }
        Measurement median = Measurement.median(measurements);
        out.printf(Locale.ROOT, "%.2f s, archive equal to its source%n", median.wallSeconds());
        return median;
    }

    private Measurement archive(Controller controller, Way way, List<String> names)
            throws IOException, InterruptedException {
        Path archive = temp.resolve("archive-" + ++archives);
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
        TempFolder.delete(archive);
        return measurement;
    }
}
