package io.jenkins.plugins.compressionaware.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** The controller's process and the program to start. */
public final class Demo {
    private static final int FAILED = 1;
    private static final double MEGABYTE = 1e6;
    /** Of the sample, bytes. */
    private static final long SAMPLE = 240_000_000;

    private final PrintStream out;
    private final PrintStream err;

    Demo(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    /**
     * Exit code 0: done; 1: a transfer failed or an archive differs from its source.
     *
     * @param args a local Maven repository, for a sample workspace; then the folder to archive instead of that, if any. The script {@code run}
     *             checks them
     */
    public static void main(String[] args) {
        System.exit(new Demo(System.out, System.err).run(args));
    }

    int run(String... args) {
        try {
            archive(Path.of(args[0]), args.length > 1 ? Path.of(args[1]) : null);
            return 0;
        } catch (IOException e) {
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
            try (TempFolder temp = new TempFolder()) {
                archive(folder, listing, temp.path());
            }
            return;
        }
        try (TempFolder temp = new TempFolder()) {
            out.println("Collecting a sample workspace from files of this machine.");
            DataSets sets = new DataSets(Files.createDirectory(temp.path().resolve("data")), repository);
            DataSet sample = sets.get("mix", SAMPLE);
            sets.describe().forEach(out::println);
            archive(sample.folder(), sample.listing(), temp.path());
        }
    }

    private void archive(Path folder, Listing listing, Path temp) throws IOException, InterruptedException {
        out.printf(
                Locale.ROOT,
                "Files, links and empty folders to archive: %,d; %.1f MB%s.%n",
                listing.names().size(),
                listing.bytes() / MEGABYTE,
                listing.special() > 0 ? ", without " + listing.special() + " sockets or other special files" : "");
        if (listing.names().isEmpty()) {
            throw new IOException("There is nothing to archive in " + folder);
        }
        List<Measurement> measurements = new Comparison(folder, listing, temp, out).run();
        out.println();
        Table.lines(measurements).forEach(out::println);
        out.println(Table.comparison(measurements));
        out.println("All archives are equal to their source: contents, modes, modification seconds and links.");
    }
}
