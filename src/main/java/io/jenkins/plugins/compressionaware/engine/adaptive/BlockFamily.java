package io.jenkins.plugins.compressionaware.engine.adaptive;

import java.util.Locale;

/**
 * A family of blocks that are expected to compress alike: same content class and file extension. Estimates are kept per family.
 *
 * @param extension lower case, without the dot; empty if unknown or unusual
 */
record BlockFamily(ContentClass contentClass, String extension) {
    private static final int MAX_EXTENSION_LENGTH = 8;

    /**
     * Returns the family of a block.
     *
     * @param fileName name of the block's file, with or without folders; null if there is none or more than one
     */
    static BlockFamily of(ContentClass contentClass, String fileName) {
        return new BlockFamily(contentClass, fileName == null ? "" : extension(fileName));
    }

    /** Returns the family of all blocks of this content class. */
    BlockFamily withoutExtension() {
        return new BlockFamily(contentClass, "");
    }

    // hand-written, like hashCode, because generated methods are slow in a fresh JVM, see CodecLevel
    @Override
    public boolean equals(Object other) {
        return other instanceof BlockFamily family
                && family.contentClass == contentClass
                && family.extension.equals(extension);
    }

    @Override
    public int hashCode() {
        return 31 * contentClass.hashCode() + extension.hashCode();
    }

    private static String extension(String fileName) {
        int dot = fileName.lastIndexOf('.');
        String end = fileName.substring(dot + 1);
        boolean usual = dot >= 0
                && !end.isEmpty()
                && end.length() <= MAX_EXTENSION_LENGTH
                && end.chars().allMatch(Character::isLetterOrDigit);
        return usual ? end.toLowerCase(Locale.ROOT) : "";
    }
}
