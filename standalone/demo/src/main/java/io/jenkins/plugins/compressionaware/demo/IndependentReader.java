package io.jenkins.plugins.compressionaware.demo;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.zstandard.ZstdCompressorInputStream;
import org.apache.commons.io.IOUtils;

/** Reads a stash of the plugin with Commons Compress, which shares no code with the plugin. */
final class IndependentReader {
    private IndependentReader() {}

    /**
     * Stashes files, and asserts that Commons Compress finds each of them with its content.
     *
     * @param stash file to create
     * @throws IOException naming the first difference
     */
    static void check(Path folder, Collection<String> names, Path stash) throws IOException, InterruptedException {
        Map<String, String> missing = new TreeMap<>();
        names.forEach(name -> missing.put(name, name));
        CapturedTransfer.store(
                folder, Map.copyOf(missing), new SendOptions(Codec.ZSTD, Codec.ZSTD.defaultLevel()), stash);
        try (InputStream in = new BufferedInputStream(Files.newInputStream(stash));
                TarArchiveInputStream tar = new TarArchiveInputStream(new ZstdCompressorInputStream(in), "UTF-8")) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                String name = entry.getName();
                String path = missing.remove(entry.isDirectory() ? name.substring(0, name.length() - 1) : name);
                boolean hasContent = entry.isFile() && !entry.isSymbolicLink();
                if (path == null || hasContent && !equal(tar, folder.resolve(path))) {
                    throw new IOException("Commons Compress reads another " + entry.getName() + " from the stash");
                }
            }
        }
        missing.keySet().removeIf(name -> Files.isDirectory(folder.resolve(name), LinkOption.NOFOLLOW_LINKS));
        if (!missing.isEmpty()) {
            throw new IOException("Commons Compress does not find "
                    + missing.keySet().iterator().next() + " in the stash");
        }
    }

    private static boolean equal(InputStream content, Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return IOUtils.contentEquals(content, in);
        }
    }
}
