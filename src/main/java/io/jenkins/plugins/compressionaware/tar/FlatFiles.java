package io.jenkins.plugins.compressionaware.tar;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarConstants;

/**
 * The entries of a small tar in the simplest form that another JVM can read without a library: deflated, one after the other, each as one of the
 * kinds below, and at last {@link #END}. Names have no {@code ..} and are separated by slashes; strings are those of {@link DataOutputStream}.
 *
 * @param deflated     all entries
 * @param entries      how many
 * @param contentBytes of the files
 */
public record FlatFiles(byte[] deflated, int entries, long contentBytes) {
    /** Name. */
    public static final int FOLDER = 1;

    /** Name, target. */
    public static final int LINK = 2;

    /** Name, lower nine bits of the mode or {@link #NO_MODE} (int), time (milliseconds since 1970, long), length (int), content. */
    public static final int FILE = 3;

    /** Of a file on a machine that has none. */
    public static final int NO_MODE = -1;

    public static final int END = 0;

    /** The level that {@link #deflated} has. */
    public static final int LEVEL = Deflater.BEST_SPEED;

    /** So many are no longer little. */
    private static final int MOST_ENTRIES = 2_000;

    /**
     * Reads a tar to its end.
     *
     * @return null if there is anything that needs more than this, such as a name that is refused, or if it is too much
     * @throws IOException if the tar is damaged
     */
    @CheckForNull
    public static FlatFiles of(InputStream in) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Deflater deflater = new Deflater(LEVEL);
        try (PlainTar tar = new PlainTar(in);
                DataOutputStream out = new DataOutputStream(new DeflaterOutputStream(bytes, deflater))) {
            int entries = 0;
            long contentBytes = 0;
            for (TarArchiveEntry entry = tar.next(); entry != null; entry = tar.next()) {
                if (++entries > MOST_ENTRIES || !write(entry, tar, out)) {
                    return null;
                }
                contentBytes += entry.getSize();
            }
            out.write(END);
            out.close();
            return new FlatFiles(bytes.toByteArray(), entries, contentBytes);
        } finally {
            deflater.end();
        }
    }

    private static boolean write(TarArchiveEntry entry, InputStream content, DataOutputStream out) throws IOException {
        String name = name(entry);
        long millis = entry.getLastModifiedTime().toMillis();
        if (name == null || millis < 0) {
            return false;
        }
        if (entry.isDirectory()) {
            out.write(FOLDER);
            out.writeUTF(name);
        } else if (entry.isSymbolicLink()) {
            out.write(LINK);
            out.writeUTF(name);
            out.writeUTF(entry.getLinkName());
        } else if (entry.getLinkFlag() == TarConstants.LF_NORMAL) {
            byte[] bytes = content.readAllBytes();
            out.write(FILE);
            out.writeUTF(name);
            out.writeInt(entry.getMode() & 0777);
            out.writeLong(millis);
            out.writeInt(bytes.length);
            out.write(bytes);
        } else {
            return false;
        }
        return true;
    }

    private static String name(TarArchiveEntry entry) {
        try {
            StringBuilder name = new StringBuilder();
            for (Path part : EntryName.toPath(Path.of(""), entry.getName())) {
                name.append(name.isEmpty() ? "" : "/").append(part);
            }
            return name.toString();
        } catch (IOException e) {
            // whoever unpacks it by the usual way says why it is refused
            return null;
        }
    }
}
