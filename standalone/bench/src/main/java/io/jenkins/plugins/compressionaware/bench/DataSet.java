package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.demo.Listing;
import java.nio.file.Path;

/**
 * Files to archive.
 *
 * @param name    as the user names it
 * @param listing what is in the folder
 * @param madeOf  where it comes from, in words
 */
record DataSet(String name, Path folder, Listing listing, String madeOf) {
    String describe() {
        return String.format(
                "%s: %,d files, %.1f MB; %s", name, listing.names().size(), listing.bytes() / 1e6, madeOf);
    }
}
