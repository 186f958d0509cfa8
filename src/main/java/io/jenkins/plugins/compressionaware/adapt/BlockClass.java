package io.jenkins.plugins.compressionaware.adapt;

import java.util.Locale;

/**
 * Blocks that are expected to behave alike: same look, same file name extension. Estimates are kept per class.
 *
 * @param extension lower case, without the dot; empty when unknown or odd
 */
record BlockClass(Kind kind, String extension) {
    private static final int LONGEST = 8;

    /**
     * @param fileName name of the file that the block is from, with or without folders; null when there is none, or many
     */
    static BlockClass of(Kind kind, String fileName) {
        return new BlockClass(kind, fileName == null ? "" : extension(fileName));
    }

    /** The class of all blocks that look alike, whatever they are called. */
    BlockClass withoutExtension() {
        return new BlockClass(kind, "");
    }

    private static String extension(String fileName) {
        int dot = fileName.lastIndexOf('.');
        String end = fileName.substring(dot + 1);
        boolean usual = dot >= 0
                && !end.isEmpty()
                && end.length() <= LONGEST
                && end.chars().allMatch(Character::isLetterOrDigit);
        return usual ? end.toLowerCase(Locale.ROOT) : "";
    }
}
