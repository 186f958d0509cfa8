package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.demo.TreeComparison;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Whether what has arrived is what was sent. */
final class Trees {
    private Trees() {}

    /**
     * @throws IOException naming the first difference
     */
    static void same(String way, DataSet set, Path copy) throws IOException {
        Optional<String> difference =
                new TreeComparison(set.folder(), copy).firstDifference(set.listing().names());
        if (difference.isPresent()) {
            throw new IOException(way + ": the archive differs from its source: " + difference.get());
        }
    }
}
