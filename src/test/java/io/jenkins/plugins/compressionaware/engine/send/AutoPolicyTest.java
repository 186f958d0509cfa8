package io.jenkins.plugins.compressionaware.engine.send;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.adaptive.LaneWrite;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The policy passes measurements of the pipeline to the selector, and works without zstd. */
class AutoPolicyTest {
    private static final int BLOCK = 256 * 1024;
    private static final byte[] TEXT = "It is a truth universally acknowledged. "
            .repeat(BLOCK / 40 + 1)
            .substring(0, BLOCK)
            .getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NOISE = FileTrees.noise(BLOCK);

    /** 10 ns per byte without waiting, so the network is the bottleneck. */
    private static final LaneWrite BUSY = new LaneWrite(1_000_000, 10_000_000, 0, 0);
    /** 4 GB/s. */
    private static final LaneWrite FAST = new LaneWrite(4_000_000, 1_000_000, 0, 0);

    private boolean zstd = true;
    private boolean lz4 = true;
    private long roundTrip;
    private double uplink = Double.NaN;
    private int shared;

    private AutoPolicy policy() {
        SendTarget target = new SendTarget(
                List.of(OutputStream.nullOutputStream()),
                InputStream.nullInputStream(),
                Credit.WINDOW,
                0,
                0,
                roundTrip,
                uplink,
                shared,
                null,
                null);
        return new AutoPolicy(new CompressionMode.Auto(0, 9, true), zstd, lz4, 1, target);
    }

    private static CodecLevel choice(AutoPolicy policy, byte[] block) {
        return policy.planBlock(block, block.length, "a").choice();
    }

    /** Returns the effort for text: 0 uncompressed, otherwise the level of zstd. */
    private static int effort(AutoPolicy policy) {
        return choice(policy, TEXT).level();
    }

    @Test
    void avoidsGzipIfZstdIsAvailable() {
        AutoPolicy policy = policy();
        assertTrue(choice(policy, TEXT).codec().needsLibrary());
    }

    @ParameterizedTest
    @CsvSource({"true, LZ4", "false, GZIP"})
    void usesLz4OrElseGzipWithoutZstd(boolean hasLz4, Codec expected) {
        zstd = false;
        lz4 = hasLz4;
        AutoPolicy policy = policy();
        assertEquals(expected, choice(policy, TEXT).codec());
        policy.planBlock(NOISE, BLOCK, "noise").outcome().done(BLOCK + 40, BLOCK, -1);
        assertEquals(
                CodecLevel.UNCOMPRESSED, policy.planBlock(NOISE, BLOCK, "noise").choice(), "after the first result");
        policy.sent(FAST);
        assertEquals(CodecLevel.UNCOMPRESSED, choice(policy, TEXT));
    }

    /** The network transfers 1 MB/s. */
    @Test
    void usesGzip6OnSlowNetworkWithoutZstd() {
        zstd = false;
        uplink = 1000;
        assertEquals(new CodecLevel(Codec.GZIP, 6), choice(policy(), TEXT));
    }

    @Test
    void selectorReceivesWrites() {
        AutoPolicy policy = policy();
        policy.sent(FAST);
        assertTrue(effort(policy) < effort(policy()), "a fast link");
    }

    /** An earlier transfer measured 1 MB/s. */
    @Test
    void selectorStartsWithEarlierUplinkRate() {
        int unknown = effort(policy());
        uplink = 1000;
        assertTrue(effort(policy()) > unknown);
    }

    @Test
    void selectorReceivesRoundTripTime() {
        int near = effort(policy());
        roundTrip = 100_000_000;
        assertTrue(effort(policy()) > near);
    }

    /** A request is not limited by a window. */
    @Test
    void selectorReceivesActiveLanes() {
        roundTrip = 100_000_000;
        AutoPolicy policy = policy();
        policy.lanes(3, true);
        int requests = effort(policy);
        policy.lanes(1, false);
        assertTrue(effort(policy) > requests);
    }

    @Test
    void selectorReceivesSharedProcessors() {
        AutoPolicy policy = policy();
        shared = 1;
        AutoPolicy other = policy();
        policy.sent(FAST);
        other.sent(FAST);
        assertTrue(effort(other) > effort(policy), "fewer bytes leave processor time for the other end");
    }

    /** Compression is abandoned at 1,000 ns per byte, and kept at 0.1 ns. */
    @ParameterizedTest
    @CsvSource({
        "0, 1000, -1, true",
        "0, 0.1, -1, false",
        "0, 1000, 0.1, true",
        "2, 1000, 0.1, false",
        "2, 0.1, 1000, true",
        "2, 1000, -1, true"
    })
    void selectorReceivesCompressionTimes(int processors, double wall, double cpu, boolean abandoned) {
        shared = processors;
        AutoPolicy policy = policy();
        policy.sent(BUSY);
        for (int i = 0; i < 40; i++) {
            CompressionPolicy.BlockPlan plan = policy.planBlock(TEXT, TEXT.length, "a");
            if (plan.choice().equals(CodecLevel.UNCOMPRESSED)) {
                plan.outcome().done(BLOCK, 0, 0);
            } else {
                plan.outcome().done(BLOCK / 10, (long) (wall * BLOCK), cpu < 0 ? -1 : (long) (cpu * BLOCK));
            }
        }
        assertEquals(abandoned, choice(policy, TEXT).equals(CodecLevel.UNCOMPRESSED));
    }
}
