package io.jenkins.plugins.compressionaware.engine.tar;

import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystems;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Reads the entries of a tar without unpacking it. Contents are skipped. */
@Restricted(NoExternalUse.class)
public final class TarWalker {
    /** Receives the entries. */
    public interface Visitor {
        /** @throws IOException to refuse the tar */
        void visit(TarEntry entry) throws IOException;
    }

    private TarWalker() {}

    /**
     * Reads a tar to its end.
     *
     * @param tar     skips quickly
     * @param entries maximum number of entries
     * @throws IOException with the name of the entry, if an entry is damaged or refused
     */
    public static void walk(InputStream tar, int entries, Visitor visitor) throws IOException {
        long overhead = TarReader.MAX_ENTRY_OVERHEAD + entries * TarUnpacker.MEAN_ENTRY_OVERHEAD;
        try (TarReader reader = new TarReader(tar, overhead)) {
            for (long start = 0; reader.next(); start = reader.position() + TarHeader.paddingLength(reader.size())) {
                try {
                    visitor.visit(entry(reader, start));
                } catch (EntryRejectedException e) {
                    throw new EntryRejectedException("Refused " + reader.name() + ": " + e.getMessage());
                }
                reader.skipContent();
            }
        }
    }

    private static TarEntry entry(TarReader reader, long start) throws IOException {
        char type = reader.typeFlag();
        if (type != TarEntry.FILE && type != TarEntry.LINK && type != TarEntry.FOLDER
                || type != TarEntry.FILE && reader.size() > 0) {
            throw EntryRejectedException.unsupportedType();
        }
        String target = type == TarEntry.LINK ? reader.target() : "";
        return new TarEntry(normal(reader.name()), type, start, reader.size(), reader.seconds(), reader.mode(), target);
    }

    /**
     * Returns the entry of a header that was written.
     *
     * @param header   all bytes before the content
     * @param position of the header in the tar
     */
    public static TarEntry entry(byte[] header, long position) throws IOException {
        TarReader reader = new TarReader(new ByteArrayInputStream(header), TarReader.MAX_ENTRY_OVERHEAD);
        reader.next();
        return entry(reader, position);
    }

    /** Returns the failure of a tar that lacks requested entries. */
    public static IOException missing(String first, int more) {
        String others = more == 0 ? "" : " and " + more + (more == 1 ? " other file" : " other files");
        return new IOException("The transfer lacks " + first + others);
    }

    /** Returns the name of an entry as {@link TarEntry#name} spells it. Throws an exception if the entry would be outside the archive. */
    public static String normal(String name) throws IOException {
        String normal = Workspace.relative(FileSystems.getDefault(), name).toString();
        String path = File.separatorChar == '/' ? normal : normal.replace(File.separatorChar, '/');
        return path.equals(name) ? name : path;
    }

    /**
     * Returns the content of a file, after a check that its header is where it is expected.
     *
     * @param tar from the entry's position on; closed with the content, or if this method fails
     */
    public static InputStream open(InputStream tar, TarEntry expected) throws IOException {
        TarReader reader = new TarReader(tar, TarReader.MAX_ENTRY_OVERHEAD);
        try {
            if (!reader.next() || !entry(reader, expected.position()).equals(expected)) {
                throw new IOException("another entry is in its place");
            }
            return reader;
        } catch (IOException | RuntimeException e) {
            reader.close();
            throw e;
        }
    }
}
