package io.jenkins.plugins.compressionaware.engine.adaptive;

import java.util.Locale;

/**
 * Blocks that are expected to behave alike: they have the same look and file name extension. Estimates are kept per family.
 *
 * @param extension lower case, without the dot; empty when unknown or odd
 */
record BlockFamily(ContentClass look, String extension) {
    private static final int MAX_EXTENSION_LENGTH = 8;

    /** @param fileName name of the block's file, with or without folders; null if there is none, or more than one */
    static BlockFamily of(ContentClass look, String fileName) {
        return new BlockFamily(look, fileName == null ? "" : extension(fileName));
    }

    /** The family of all blocks with this look, whatever their file names. */
    BlockFamily withoutExtension() {
        return new BlockFamily(look, "");
    }

    // written out, like hashCode: see Choice
    @Override
    public boolean equals(Object other) {
        return other instanceof BlockFamily family && family.look == look && family.extension.equals(extension);
    }

    @Override
    public int hashCode() {
        return 31 * look.hashCode() + extension.hashCode();
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
