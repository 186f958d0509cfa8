package io.jenkins.plugins.compressionaware.send;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.adapt.Choice;
import io.jenkins.plugins.compressionaware.adapt.LaneWrite;
import io.jenkins.plugins.compressionaware.adapt.Reason;
import io.jenkins.plugins.compressionaware.adapt.Reason.Limit;
import io.jenkins.plugins.compressionaware.codec.Checksum;
import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.codec.CodecProbe;
import io.jenkins.plugins.compressionaware.transfer.Credit;
import io.jenkins.plugins.compressionaware.transfer.ThreadTimes;
import io.jenkins.plugins.compressionaware.transfer.TransferThreads;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.DoubleAdder;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the pipeline sees gets to the selector, and libraries are brought when they pay; with a JVM that has or lacks them as a test says. */
class AutoPolicyTest {
    private static final int BLOCK = 256 * 1024;
    private static final byte[] TEXT = "It is a truth universally acknowledged. "
            .repeat(BLOCK / 40 + 1)
            .substring(0, BLOCK)
            .getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NOISE = new byte[BLOCK];

    static {
        new Random(7).nextBytes(NOISE);
    }

    /** 10 ns per byte, always busy: what is behind it is the link. */
    private static final LaneWrite BUSY = new LaneWrite(1_000_000, 10_000_000, 0, 0);
    /** 4 GB/s. */
    private static final LaneWrite FAST = new LaneWrite(4_000_000, 1_000_000, 0, 0);

    private static final Credit.Grant GRANT = new Credit.Grant(1);

    private final Set<Codec> known = ConcurrentHashMap.newKeySet();
    private final Map<Codec, String> broken = Collections.synchronizedMap(new EnumMap<>(Codec.class));
    private final AtomicInteger brought = new AtomicInteger();
    private int lanes = 1;
    private long roundTrip;
    private double uplink = Double.NaN;
    private int shared;
    private int maxLevel = 9;
    private CodecSource source = new CodecSource(1_000_000, brought::incrementAndGet);

    private AutoPolicy policy() {
        Route route = new Route(
                Collections.nCopies(lanes, OutputStream.nullOutputStream()),
                InputStream.nullInputStream(),
                Credit.WINDOW,
                roundTrip,
                uplink,
                shared,
                null,
                source,
                null);
        EnumSet<Codec> codecs = EnumSet.of(Codec.NONE, Codec.LZ4, Codec.ZSTD);
        TransferThreads threads = new TransferThreads(new ThreadTimes());
        Libraries libraries = new Libraries(
                codecs,
                source,
                threads,
                codec -> codec == Codec.NONE || known.contains(codec),
                this::problem,
                new DoubleAdder());
        return new AutoPolicy(new Compression.Auto(0, maxLevel, codecs), 1, route, libraries);
    }

    private Optional<String> problem(Codec codec) {
        known.add(codec);
        return Optional.ofNullable(broken.get(codec));
    }

    private AutoPolicy withLibraries() {
        known.addAll(EnumSet.allOf(Codec.class));
        return policy();
    }

    private static Choice choice(AutoPolicy policy, byte[] block) {
        return policy.plan(block, block.length, "a").choice();
    }

    private static Limit limit(AutoPolicy policy) {
        for (int i = 0; i < 50; i++) {
            choice(policy, NOISE);
        }
        return policy.reason().limit();
    }

    @Test
    void whatIsThereIsUsedAtOnce() {
        AutoPolicy policy = withLibraries();
        assertTrue(choice(policy, TEXT).codec().needsLibrary());
        assertEquals(Checksum.XXH64, policy.checksum(Checksum.XXH64));
        assertEquals(List.of(), policy.unusable());
    }

    @Test
    void untilTheLibrariesAreThereTheJdkDoes() {
        AutoPolicy policy = policy();
        assertEquals(new Reason(Limit.NOTHING_TO_COMPRESS), policy.reason());
        Policy.Plan plan = policy.plan(TEXT, TEXT.length, "a");
        assertEquals(new Choice(Codec.GZIP, 6), plan.choice());
        assertEquals(Checksum.CRC32C, policy.checksum(Checksum.XXH64));
        assertEquals(Checksum.CRC32C, policy.checksum(Checksum.CRC32C));
        plan.outcome().done(1000, 1000, 1000);
        assertEquals(new Reason(Limit.TOO_LITTLE), policy.reason());
        assertEquals(List.of(), policy.unusable());

        known.addAll(EnumSet.allOf(Codec.class));
        assertTrue(choice(policy, TEXT).codec().needsLibrary());
        assertEquals(Checksum.XXH64, policy.checksum(Checksum.XXH64));
        assertEquals(0, brought.get());
    }

    @Test
    void whatIsStoredIsNothingToCompress() {
        AutoPolicy policy = policy();
        policy.sent(BUSY);
        policy.told(GRANT);
        Policy.Plan plan = policy.plan(NOISE, NOISE.length, "a");
        assertEquals(Choice.STORED, plan.choice());
        plan.outcome().done(NOISE.length, 1000, 1000);
        assertEquals(new Reason(Limit.NOTHING_TO_COMPRESS), policy.reason());
    }

    @Test
    void theJdkHearsOfTheLanes() {
        AutoPolicy policy = policy();
        assertEquals(Codec.GZIP, choice(policy, NOISE).codec());
        policy.sent(BUSY);
        assertEquals(Codec.GZIP, choice(policy, NOISE).codec(), "an empty window");
        policy.told(GRANT);
        assertEquals(Choice.STORED, choice(policy, NOISE));
        assertEquals(new Choice(Codec.GZIP, 6), choice(policy, TEXT));
        policy.sent(new LaneWrite(1_000_000, 1_000_000, 0, 100_000_000));
        assertEquals(new Choice(Codec.GZIP, 1), choice(policy, TEXT));
    }

    /** A block that took 125 ms has lost 100 ms; to bring a megabyte takes 60 ms and 10 more. */
    @ParameterizedTest
    @CsvSource({"125, 1", "80, 0"})
    void librariesComeWhenTheyWouldHaveSavedAsMuch(int millis, int expected) {
        AutoPolicy policy = policy();
        policy.sent(BUSY);
        policy.told(GRANT);
        for (int i = 0; i < 3; i++) {
            policy.plan(TEXT, TEXT.length, "a").outcome().done(1000, millis * 1_000_000L / (i == 0 ? 1 : 1000), 0);
        }
        assertEquals(expected, brought.get());
        assertEquals(Set.of(), known, "whoever brings them tries them");
    }

    /** 8 MB take 80 ms over one lane of 10 ns per byte and 20 ms over four; then what was lost pays for them. */
    @ParameterizedTest
    @CsvSource({"1, 1, 0", "1, 4, 1", "4, 4, 1"})
    void severalLanesBringThemSooner(int atStart, int later, int expected) {
        source = new CodecSource(Libraries.JARS, brought::incrementAndGet);
        lanes = atStart;
        AutoPolicy policy = policy();
        if (later != atStart) {
            policy.lanes(later, false);
        }
        policy.sent(BUSY);
        policy.told(GRANT);
        policy.plan(TEXT, TEXT.length, "a").outcome().done(1000, 125_000_000, 0);
        assertEquals(expected, brought.get());
    }

    @Test
    void nothingIsBroughtWhileTheLinkIsUnknown() {
        AutoPolicy policy = policy();
        policy.sent(BUSY);
        policy.plan(TEXT, TEXT.length, "a").outcome().done(1000, 1_000_000_000, 0);
        assertEquals(0, brought.get());
    }

    @Test
    void whoMustNotCompressNeedsNoLibraries() {
        maxLevel = 0;
        AutoPolicy policy = policy();
        policy.sent(BUSY);
        policy.told(GRANT);
        policy.plan(TEXT, TEXT.length, "a").outcome().done(BLOCK, 1_000_000_000, 0);
        assertEquals(0, brought.get());
    }

    @Test
    void withoutASourceTheirFirstClassBringsThem() {
        source = null;
        AutoPolicy policy = policy();
        policy.sent(BUSY);
        policy.told(GRANT);
        policy.plan(TEXT, TEXT.length, "a").outcome().done(1000, 1_000_000_000, 0);
        Awaitility.await().until(() -> known.containsAll(EnumSet.of(Codec.ZSTD, Codec.LZ4)));
        assertTrue(choice(policy, TEXT).codec().needsLibrary());
    }

    @Test
    void oneThatDoesNotWorkIsToldAndLeftOut() {
        broken.put(Codec.LZ4, "no native library");
        AutoPolicy policy = withLibraries();
        assertEquals(Codec.ZSTD, choice(policy, TEXT).codec());
        assertEquals(List.of(new CodecProbe.Unusable(Codec.LZ4, null, "no native library")), policy.unusable());
    }

    /** LZ4, which works in plain Java, would send half as much again. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void withoutZstdGzipStays(boolean lz4) {
        broken.put(Codec.ZSTD, "no");
        if (!lz4) {
            broken.put(Codec.LZ4, "no");
        }
        AutoPolicy policy = withLibraries();
        assertEquals(Codec.GZIP, choice(policy, TEXT).codec());
        assertEquals(lz4 ? 1 : 2, policy.unusable().size());
        policy.sent(BUSY);
        policy.told(GRANT);
        policy.plan(TEXT, TEXT.length, "a").outcome().done(1000, 1_000_000_000, 0);
        assertEquals(0, brought.get());
    }

    @Test
    void theSelectorHearsOfWrites() {
        AutoPolicy policy = withLibraries();
        assertEquals(Limit.LINK, limit(policy));
        AutoPolicy other = withLibraries();
        other.sent(FAST);
        assertEquals(Limit.READING, limit(other));
    }

    /** A megabyte per second, as an earlier transfer of such an agent has shown. */
    @ParameterizedTest
    @CsvSource({"NaN, 50e6", "1000, 1e6"})
    void theSelectorBeginsWithWhatIsKnownOfTheLink(double nanosPerByte, double expected) {
        uplink = nanosPerByte;
        AutoPolicy policy = withLibraries();
        assertEquals(Limit.LINK, limit(policy));
        assertEquals(expected, policy.reason().bytesPerSecond(), 1);
    }

    /** What the JDK's codecs have seen comes first, unless the lane waited for blocks. */
    @ParameterizedTest
    @CsvSource({"1000, 0, 2e6", "100, 1000, 1e6"})
    void aSelectorThatComesLaterBeginsWithWhatWasSeen(int writing, int starved, double expected) {
        uplink = 1000;
        lanes = 2;
        AutoPolicy policy = policy();
        policy.sent(new LaneWrite(1_000_000, writing * 1_000_000L, 0, starved * 1_000_000L));
        policy.told(GRANT);
        known.addAll(EnumSet.allOf(Codec.class));
        assertEquals(Limit.LINK, limit(policy));
        assertEquals(expected, policy.reason().bytesPerSecond(), 1);
    }

    @Test
    void theSelectorHearsOfReading() {
        AutoPolicy policy = withLibraries();
        for (int i = 0; i < 20; i++) {
            policy.read(BLOCK, 100L * BLOCK);
        }
        assertEquals(Limit.READING, limit(policy));
        assertEquals(15e6, policy.reason().bytesPerSecond(), 5e6);
    }

    @Test
    void theSelectorHearsOfTheRoundTrip() {
        roundTrip = 100_000_000;
        assertEquals(Limit.ROUND_TRIP, limit(withLibraries()));
    }

    /** A request has no window. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theSelectorHearsOfLanes(boolean early) {
        roundTrip = 100_000_000;
        AutoPolicy policy = early ? policy() : withLibraries();
        policy.lanes(3, true);
        known.addAll(EnumSet.allOf(Codec.class));
        assertEquals(Limit.LINK, limit(policy));
        policy.lanes(1, false);
        assertEquals(Limit.ROUND_TRIP, limit(policy));
    }

    @Test
    void theSelectorHearsOfSharedProcessors() {
        shared = 1;
        AutoPolicy policy = withLibraries();
        policy.sent(FAST);
        assertEquals(Limit.PROCESSORS, limit(policy));
    }

    /** Compression that takes 1,000 ns per byte is given up, at a tenth of one it is kept. */
    @ParameterizedTest
    @CsvSource({
        "0, 1000, -1, true",
        "0, 0.1, -1, false",
        "0, 1000, 0.1, true",
        "2, 1000, 0.1, false",
        "2, 0.1, 1000, true",
        "2, 1000, -1, true"
    })
    void theSelectorHearsWhatABlockTook(int processors, double wall, double cpu, boolean givenUp) {
        shared = processors;
        AutoPolicy policy = withLibraries();
        policy.sent(BUSY);
        for (int i = 0; i < 40; i++) {
            Policy.Plan plan = policy.plan(TEXT, TEXT.length, "a");
            if (plan.choice().equals(Choice.STORED)) {
                plan.outcome().done(BLOCK, 0, 0);
            } else {
                plan.outcome().done(BLOCK / 10, (long) (wall * BLOCK), cpu < 0 ? -1 : (long) (cpu * BLOCK));
            }
        }
        assertEquals(givenUp, choice(policy, TEXT).equals(Choice.STORED));
    }
}
