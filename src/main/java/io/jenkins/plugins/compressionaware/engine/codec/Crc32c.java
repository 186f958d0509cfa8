package io.jenkins.plugins.compressionaware.engine.codec;

import java.util.zip.CRC32C;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** CRC-32C, the checksum of headers, and of blocks by default, which detects damage in transit. The JDK has an intrinsic for it on x86-64 and AArch64. */
@Restricted(NoExternalUse.class)
public final class Crc32c {
    private Crc32c() {}

    /** Returns the CRC-32C, 0 to 2<sup>32</sup> - 1. */
    public static long of(byte[] bytes, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        return crc.getValue();
    }
}
