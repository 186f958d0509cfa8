package io.jenkins.plugins.compressionaware.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** The controller's process and the program to start. */
public final class Demo {
    private static final int FAILED = 1;
    /** Bytes of the sample: with two processors two rounds take half a minute. */
    private static final long SAMPLE = 120_000_000;

    private static final int ROUNDS = 2;

    private final PrintStream out;

    Demo(PrintStream out) {
        this.out = out;
    }

    /**
     * Exit code 0: done; 1: a transfer failed or an archive differs from its source.
     *
     * @param args a local Maven repository, for a sample workspace; then the folder to archive instead of that, if any. The script {@code run}
     *             checks them
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
            // listed before there is a temporary folder, which may lie in it
            Listing listing = Listing.of(folder);
            long one = listing.bytes() * 11 / 10;
            try (ScratchFolder place = new ScratchFolder(one, one * Comparison.archives(ROUNDS))) {
                archive(folder, listing, place, "The archives");
            }
            return;
        }
        try (ScratchFolder place = new ScratchFolder(3 * SAMPLE, SAMPLE * (2 + Comparison.archives(ROUNDS)))) {
            out.println("A sample workspace is made of files of this machine ...");
            DataSets sets = new DataSets(Files.createDirectory(place.path().resolve("data")), repository);
            DataSet sample = sets.get("mix", SAMPLE);
            archive(sample.folder(), sample.listing(), place, "Files and archives");
        }
    }

    private void archive(Path folder, Listing listing, ScratchFolder place, String there)
            throws IOException, InterruptedException {
        if (listing.sizes().isEmpty()) {
            throw new IOException("There is nothing to archive in " + folder);
        }
        out.printf(
                Locale.ROOT,
                "Files, links and empty folders to archive: %,d; %.1f MB%s.%n",
                listing.sizes().size(),
                listing.bytes() / 1e6,
                listing.special() > 0 ? ", without " + listing.special() + " sockets or other special files" : "");
        out.println(place.describe(there));
        Measurement measured = new Comparison(folder, listing, place, out).run(ROUNDS);
        out.println();
        measured.table().forEach(out::println);
        out.println();
        measured.conclusion().forEach(out::println);
    }
}
