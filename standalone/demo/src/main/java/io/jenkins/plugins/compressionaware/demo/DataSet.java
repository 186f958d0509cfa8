package io.jenkins.plugins.compressionaware.demo;

import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Optional;

/**
 * Files to archive.
 *
 * @param name    for the user
 * @param listing content of the folder
 * @param madeOf  description of the origin
 */
public record DataSet(String name, Path folder, Listing listing, String madeOf) {
    /**
     * Asserts that a copy equals all files.
     *
     * @throws IOException naming the first difference
     */
    public void check(String way, Path copy) throws IOException {
        check(way, folder, copy, listing.names());
    }

    /**
     * Asserts that a copy equals the named files.
     *
     * @throws IOException naming the first difference
     */
    public static void check(String way, Path source, Path copy, Collection<String> names) throws IOException {
        Optional<String> difference = FileTrees.difference(source, copy, names);
        if (difference.isPresent()) {
            throw new IOException(way + ": the copy differs from its source: " + difference.get());
        }
    }

    public String describe() {
        return String.format("%s: %,d files, %.1f MB; %s", name, listing.sizes().size(), listing.bytes() / 1e6, madeOf);
    }
}
