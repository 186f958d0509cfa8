package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.demo.Cpu;
import io.jenkins.plugins.compressionaware.send.SendOptions;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Random;
import java.util.function.ToLongFunction;
import java.util.zip.CRC32C;
import net.jpountz.xxhash.XXHash64;
import net.jpountz.xxhash.XXHashFactory;

/** What a checksum adds to the least that is done with a block, which is to copy it. */
final class ChecksumReplay {
    private static final int BLOCK = SendOptions.DEFAULT_BLOCK_SIZE;
    /** More than the processor's caches hold, bytes. */
    private static final int DATA = 64 << 20;

    private final byte[] data = new byte[DATA];
    private final long bytes;
    private long sum;

    ChecksumReplay(long bytes) {
        this.bytes = bytes;
        new Random(1).nextBytes(data);
    }

    Replay measure(Rounds rounds) throws IOException, InterruptedException {
        XXHash64 xx = XXHashFactory.fastestInstance().hash64();
        Row none = add(rounds, "none", block -> block[0]);
        Row crc = add(rounds, "CRC-32C", ChecksumReplay::crc);
        Row xxHash = add(rounds, "xxHash64", block -> xx.hash(block, 0, block.length, 0));
        Row md5 = add(rounds, "MD5", ChecksumReplay::md5);
        List<Row> rows = rounds.warmUp().run();
        double crcCost = Replays.wall(crc) - Replays.wall(none);
        double xxCost = Replays.wall(xxHash) - Replays.wall(none);
        double md5Cost = Replays.wall(md5) - Replays.wall(none);
        String shows = String.format(
                "Per GB and thread, CRC-32C adds %.2f s, xxHash64 %.2f s and MD5 %.2f s. ",
                crcCost / (bytes / 1e9), xxCost / (bytes / 1e9), md5Cost / (bytes / 1e9));
        shows += md5Cost > 2 * crcCost
                ? String.format("MD5 costs %.0f times as much as CRC-32C: it is no checksum for blocks. ", md5Cost / crcCost)
                : "MD5 costs less than twice as much as CRC-32C here, which does not speak against it. ";
        shows += crcCost <= 1.5 * xxCost
                ? "CRC-32C keeps up with xxHash64 and comes with the JDK, so the agent needs no library for it: that is why blocks carry it."
                : "xxHash64 is clearly faster here; that the JDK has CRC-32C is then the only reason for it.";
        return new Replay("MD5, xxHash64, CRC-32C or no checksum for a block", rows, shows);
    }

    private Row add(Rounds rounds, String name, ToLongFunction<byte[]> checksum) {
        Row row = Replays.row("random", name, bytes);
        rounds.add(row, round -> run(checksum));
        return row;
    }

    private Sample run(ToLongFunction<byte[]> checksum) {
        byte[] block = new byte[BLOCK];
        long start = System.nanoTime();
        long cpu = Cpu.nanos();
        for (long done = 0; done < bytes; done += BLOCK) {
            System.arraycopy(data, (int) (done % DATA), block, 0, BLOCK);
            sum += checksum.applyAsLong(block);
        }
        return Sample.ofWallAndCpu((System.nanoTime() - start) / 1e9, (Cpu.nanos() - cpu) / 1e9);
    }

    private static long crc(byte[] block) {
        CRC32C crc = new CRC32C();
        crc.update(block, 0, block.length);
        return crc.getValue();
    }

    private static long md5(byte[] block) {
        try {
            return MessageDigest.getInstance("MD5").digest(block)[0];
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
