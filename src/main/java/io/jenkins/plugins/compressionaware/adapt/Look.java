package io.jenkins.plugins.compressionaware.adapt;

import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** A guess from a few bytes of a block. It is only a first one: the results of its family of blocks are the truth. */
@Restricted(NoExternalUse.class)
public enum Look {
    /** Bytes as evenly spread as noise: compressed, encrypted, or random. */
    NOISE,
    /** Nearly so: some media formats, packed data, machine code, base64 of noise. */
    DENSE,
    /** Class files, executables, uncompressed archives, databases. */
    BINARY,
    /** Printable text. */
    TEXT,
    /** Very few different bytes: padding, images of empty disks, sparse matrices. */
    SPARSE
}
