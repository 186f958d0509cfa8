package io.jenkins.plugins.compressionaware.engine.store;

import io.jenkins.plugins.compressionaware.engine.codec.Crc32c;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The checksum by which a store verifies a part. Not every store knows CRC-32C. */
@Restricted(NoExternalUse.class)
public enum PartChecksum {
    CRC32C("x-amz-checksum-crc32c"),
    MD5("Content-MD5");

    private final String header;

    PartChecksum(String header) {
        this.header = header;
    }

    public String header() {
        return header;
    }

    /** Returns the checksum of the first bytes of an array, in base64. */
    public String of(byte[] part, int length) {
        ByteBuffer crc = ByteBuffer.allocate(Integer.BYTES);
        byte[] sum = this == MD5
                ? md5(part, length)
                : crc.putInt((int) Crc32c.of(part, 0, length)).array();
        return Base64.getEncoder().encodeToString(sum);
    }

    private static byte[] md5(byte[] part, int length) {
        try {
            MessageDigest md5 = MessageDigest.getInstance("MD5");
            md5.update(part, 0, length);
            return md5.digest();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("This JVM has no MD5, so the store must check CRC-32C", e);
        }
    }
}
