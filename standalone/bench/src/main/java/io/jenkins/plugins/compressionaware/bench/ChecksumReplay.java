package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.send.SendOptions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Random;
import java.util.zip.CRC32C;
import net.jpountz.xxhash.XXHashFactory;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** What a checksum adds to the least that is done with a block, which is to copy it; per 64 MiB, more than caches hold. */
public class ChecksumReplay extends Replayed {
    private static final int BLOCK = SendOptions.DEFAULT_BLOCK_SIZE;

    @Param({"none", "CRC-32C", "xxHash64", "MD5"})
    public String checksum;

    private final byte[] data = new byte[64 << 20];
    private final byte[] block = new byte[BLOCK];

    @Setup
    public void fill() {
        new Random(1).nextBytes(data);
    }

    @Benchmark
    public long blocks() throws NoSuchAlgorithmException {
        long sum = 0;
        for (int done = 0; done < data.length; done += BLOCK) {
            System.arraycopy(data, done, block, 0, BLOCK);
            sum += ofBlock();
        }
        return sum;
    }

    private long ofBlock() throws NoSuchAlgorithmException {
        switch (checksum) {
            case "CRC-32C":
                CRC32C crc = new CRC32C();
                crc.update(block, 0, BLOCK);
                return crc.getValue();
            case "xxHash64":
                return XXHashFactory.fastestInstance().hash64().hash(block, 0, BLOCK, 0);
            case "MD5":
                return MessageDigest.getInstance("MD5").digest(block)[0];
            default:
                return block[0];
        }
    }
}
