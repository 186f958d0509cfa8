package io.jenkins.plugins.compressionaware.engine.tar;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;

/** Repeats {@code FilePath.readFromTar} of Jenkins core, which refuses links up to 2.541, and follows them on agents from 2.555.3 on. */
final class AsCore {
    private AsCore() {}

    static void unpack(byte[] tar, Path folder, boolean followsLinks) throws IOException {
        try (TarArchiveInputStream in = new TarArchiveInputStream(new ByteArrayInputStream(tar))) {
            for (TarArchiveEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                Path path = folder.resolve(entry.getName());
                if (!path.normalize().startsWith(folder)) {
                    throw new IOException("escapes");
                }
                for (Path above = path.getParent(); !followsLinks && !above.equals(folder); above = above.getParent()) {
                    if (Files.isSymbolicLink(above)) {
                        throw new IOException("link in path");
                    }
                }
                if (entry.isDirectory()) {
                    mkdirs(path);
                    continue;
                }
                mkdirs(path.getParent());
                if (entry.isSymbolicLink()) {
                    link(path, Path.of(entry.getLinkName()));
                    continue;
                } else if (!followsLinks && Files.isSymbolicLink(path)) {
                    throw new IOException("through link");
                }
                try (OutputStream out = Files.newOutputStream(path)) {
                    in.transferTo(out);
                }
                Files.setLastModifiedTime(path, FileTime.from(entry.getModTime().toInstant()));
                int mode = entry.getMode() & 0777;
                if (mode != 0) {
                    Files.setPosixFilePermissions(path, TarReader.permissions(mode));
                }
            }
        }
    }

    private static void mkdirs(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            Files.createDirectories(folder);
        }
    }

    private static void link(Path path, Path target) {
        try {
            Files.deleteIfExists(path);
            Files.createSymbolicLink(path, target);
        } catch (FileAlreadyExistsException e) {
            throw new AssertionError(e);
        } catch (IOException e) {
            // core only logs the failure
        }
    }
}
