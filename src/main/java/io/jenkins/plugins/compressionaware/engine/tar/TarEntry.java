package io.jenkins.plugins.compressionaware.engine.tar;

import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * An entry of a stored tar.
 *
 * @param name     relative path with forward slashes, without empty names, {@code .} and {@code ..}
 * @param type     {@link #FILE}, {@link #LINK}, {@link #FOLDER} or {@link #OBJECT}
 * @param position of the first header in the tar
 * @param size     of the content, bytes
 * @param seconds  modification time, seconds since 1970
 * @param mode     permissions, at most 0777
 * @param target   of a link; key of an object; otherwise empty
 */
@Restricted(NoExternalUse.class)
public record TarEntry(String name, char type, long position, long size, long seconds, int mode, String target) {
    public static final char FILE = '0';
    public static final char LINK = '2';
    public static final char FOLDER = '5';

    /** A file whose content is an object of its own. The tar has a link. */
    public static final char OBJECT = 'O';

    /** Compares names as the bytes of their UTF-8. */
    public static final Comparator<String> ORDER = TarEntry::compare;

    private static int compare(String a, String b) {
        int length = Math.min(a.length(), b.length());
        for (int i = 0; i < length; i++) {
            char x = a.charAt(i);
            char y = b.charAt(i);
            if (x != y) {
                // characters beyond 16 bits follow all others
                boolean differ = Character.isSurrogate(x) != Character.isSurrogate(y);
                return differ ? Character.isSurrogate(x) ? 1 : -1 : x - y;
            }
        }
        return a.length() - b.length();
    }

    /** Returns the file to which the tar has this link. */
    public TarEntry ofObject(long length) {
        return new TarEntry(name, OBJECT, position, length, seconds, mode, target);
    }

    /** Returns the header of a file with this content, as if it were in the tar. */
    public byte[] header() {
        return TarHeader.of(name, size, TimeUnit.SECONDS.toMillis(seconds), mode);
    }

    /** Returns an equal entry that shares the name. */
    public TarEntry withName(String equal) {
        return new TarEntry(equal, type, position, size, seconds, mode, target);
    }
}
