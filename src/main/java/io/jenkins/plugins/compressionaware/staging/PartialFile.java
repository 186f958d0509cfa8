package io.jenkins.plugins.compressionaware.staging;

import java.nio.file.Path;
import java.util.UUID;
import java.util.regex.Pattern;

/** A file that is put together beside where it belongs. Its name says so to whoever finds it after a crash. */
public final class PartialFile {
    private static final Pattern NAME =
            Pattern.compile("\\.\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12}\\.partial");

    private PartialFile() {}

    /** A new name in a folder. */
    public static Path in(Path folder) {
        return folder.resolve("." + UUID.randomUUID() + ".partial");
    }

    static boolean is(Path file) {
        Path name = file.getFileName();
        return name != null && NAME.matcher(name.toString()).matches();
    }
}
