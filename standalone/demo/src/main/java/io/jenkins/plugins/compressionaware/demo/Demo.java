package io.jenkins.plugins.compressionaware.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** The demo's main class, and the controller's process. */
public final class Demo {
    private static final int FAILED = 1;
    /** Bytes of the sample, for which two rounds take half a minute on two CPUs. */
    private static final long SAMPLE = 120_000_000;

    private static final int ROUNDS = 2;

    private final PrintStream out;

    Demo(PrintStream out) {
        this.out = out;
    }

    /**
     * Runs the demo. The exit code is 1 if a transfer failed or an archive differs from its source, else 0.
     *
     * @param args a local Maven repository for the sample workspace, and optionally a folder to archive instead;
     *     checked by the script {@code run}
     */
    public static void main(String[] args) {
        System.exit(new Demo(System.out).run(System.err, args));
    }

    int run(PrintStream err, String... args) {
        try {
            archive(Path.of(args[0]), args.length > 1 ? Path.of(args[1]) : null);
            return 0;
        } catch (IOException | UncheckedIOException e) {
            err.println("Failed: " + (e.getMessage() != null && e.getClass() == IOException.class ? e.getMessage() : e));
            for (Throwable also : e.getSuppressed()) {
                err.println("Failed: " + also.getMessage());
            }
            return FAILED;
        } catch (InterruptedException e) {
            err.println("Interrupted");
            return FAILED;
        }
    }

    private void archive(Path repository, Path folder) throws IOException, InterruptedException {
        if (folder != null) {
            // listed first, because the scratch folder may be inside
            Listing listing = Listing.of(folder);
            long one = listing.bytes() * 11 / 10;
            try (ScratchFolder scratch = new ScratchFolder(one, one * Comparison.archives(ROUNDS))) {
                archive(folder, listing, scratch, "The archives");
            }
            return;
        }
        try (ScratchFolder scratch = new ScratchFolder(3 * SAMPLE, SAMPLE * (2 + Comparison.archives(ROUNDS)))) {
            out.println("Creating a sample workspace from files of this machine ...");
            DataSets sets = new DataSets(Files.createDirectory(scratch.path().resolve("data")), repository);
            DataSet sample = sets.get("mix", SAMPLE);
            archive(sample.folder(), sample.listing(), scratch, "Files and archives");
        }
    }

    private void archive(Path folder, Listing listing, ScratchFolder scratch, String what)
            throws IOException, InterruptedException {
        if (listing.sizes().isEmpty()) {
            throw new IOException("No files to archive in " + folder);
        }
        out.printf(
                Locale.ROOT,
                "Files, links and empty folders to archive: %,d; %.1f MB%s.%n",
                listing.sizes().size(),
                listing.bytes() / 1e6,
                listing.special() > 0 ? ", without " + listing.special() + " special files such as sockets" : "");
        out.println(scratch.describe(what));
        Measurement measured = new Comparison(folder, listing, scratch, out).run(ROUNDS);
        out.println();
        measured.table().forEach(out::println);
        out.println();
        measured.conclusion().forEach(out::println);
    }
}
