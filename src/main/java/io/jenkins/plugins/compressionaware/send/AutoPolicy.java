package io.jenkins.plugins.compressionaware.send;

import io.jenkins.plugins.compressionaware.adapt.AutoOptions;
import io.jenkins.plugins.compressionaware.adapt.Choice;
import io.jenkins.plugins.compressionaware.adapt.Decision;
import io.jenkins.plugins.compressionaware.adapt.JdkChoice;
import io.jenkins.plugins.compressionaware.adapt.LaneWrite;
import io.jenkins.plugins.compressionaware.adapt.Reason;
import io.jenkins.plugins.compressionaware.adapt.Reason.Limit;
import io.jenkins.plugins.compressionaware.adapt.Selector;
import io.jenkins.plugins.compressionaware.codec.Checksum;
import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.codec.CodecProbe;
import io.jenkins.plugins.compressionaware.transfer.Credit;
import io.jenkins.plugins.compressionaware.transfer.TransferThreads;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Each block gets what the {@link Selector} chooses. On an agent that has not used the codec libraries yet, a transfer begins with what
 * the JDK has, and loads them beside its work once they would have saved about as many bytes as they have themselves: whatever then follows, it
 * has cost at most twice the best (the ski rental rule). A small transfer never loads them.
 */
final class AutoPolicy implements Policy {
    /** Size of the jars of zstd-jni 1.5.7 and lz4-java 1.13, which travel over the channel when their first class is used. */
    private static final long LIBRARIES = 8_000_000;

    /**
     * Share of the bytes that zstd saves of what the JDK leaves: of the gzip members 10 to 40 %, and of blocks that were stored 3 to 8 % if they
     * are jars, nothing if they are noise.
     */
    private static final double SAVING_OF_GZIP = 0.5;

    private static final double SAVING_OF_STORED = 0.05;

    private static final Logger LOGGER = Logger.getLogger(AutoPolicy.class.getName());

    private final Compression.Auto bounds;
    private final int threads;
    private final Route route;
    private final TransferThreads maker;
    /** Wire bytes of this JVM's transfers that were made without the libraries: many small ones repay them, too. */
    private static final AtomicLong GZIPPED = new AtomicLong();

    private static final AtomicLong STORED = new AtomicLong();

    private final AtomicBoolean gzipUsed = new AtomicBoolean();
    private final LaneBalance balance = new LaneBalance();
    private final AtomicBoolean loading = new AtomicBoolean();
    private int lanes;
    private boolean direct;
    private volatile Selector selector;
    private volatile ArrayList<CodecProbe.Unusable> unusable = new ArrayList<>();

    AutoPolicy(Compression.Auto bounds, int threads, Route route, TransferThreads maker) {
        this.bounds = bounds;
        this.threads = threads;
        this.route = route;
        lanes = route.lanes().size();
        this.maker = maker;
        if (bounds.usable().stream().allMatch(CodecProbe::isKnown)) {
            load();
        }
    }

    @Override
    public Plan plan(byte[] block, int length, String fileName) {
        Selector current = selector;
        if (current == null) {
            return new JdkPlan(JdkChoice.of(block, length, bounds.minLevel(), bounds.maxLevel(), balance.state()));
        }
        return new SelectedPlan(current, current.choose(block, length, fileName), route.sharedProcessors() > 0);
    }

    // until the libraries are there, that of the JDK
    @Override
    public Checksum checksum(Checksum wanted) {
        if (selector == null && wanted == Checksum.XXH64) {
            return Checksum.CRC32C;
        }
        return wanted.orCrc32c();
    }

    private final class JdkPlan implements Plan {
        private final Choice choice;

        JdkPlan(Choice choice) {
            this.choice = choice;
        }

        @Override
        public Choice choice() {
            return choice;
        }

        @Override
        public void done(int wireLength, long nanos, long cpuNanos) {
            boolean gzip = choice.codec() == Codec.GZIP;
            (gzip ? GZIPPED : STORED).addAndGet(wireLength);
            if (gzip) {
                gzipUsed.set(true);
            }
            double saving = SAVING_OF_GZIP * GZIPPED.get() + SAVING_OF_STORED * STORED.get();
            if (saving > LIBRARIES && bounds.maxLevel() > 0 && loading.compareAndSet(false, true)) {
                loadBesides();
            }
        }

        private void loadBesides() {
            try {
                maker.create("load codecs", AutoPolicy.this::load).start();
            } catch (OutOfMemoryError e) { // no thread is to be had: what the JDK has will do
                LOGGER.log(Level.FINE, "Cannot load codecs", e);
            }
        }
    }

    private record SelectedPlan(Selector selector, Decision decision, boolean sharedProcessors) implements Plan {
        @Override
        public Choice choice() {
            return decision.choice();
        }

        @Override
        public void done(int wireLength, long nanos, long cpuNanos) {
            selector.compressed(decision, wireLength, sharedProcessors && cpuNanos >= 0 ? cpuNanos : nanos);
        }
    }

    private void load() {
        EnumSet<Codec> usable = EnumSet.noneOf(Codec.class);
        ArrayList<CodecProbe.Unusable> lacking = new ArrayList<>();
        for (Codec codec : bounds.usable()) {
            Optional<String> problem = CodecProbe.problem(codec);
            if (problem.isEmpty()) {
                usable.add(codec);
            } else {
                lacking.add(new CodecProbe.Unusable(codec, null, problem.get()));
            }
        }
        unusable = lacking;
        Selector ready = new Selector(new AutoOptions(bounds.minLevel(), bounds.maxLevel(), threads, usable));
        if (route.roundTripNanos() > 0) {
            ready.roundTrip(route.roundTripNanos());
        }
        ready.sharedProcessors(route.sharedProcessors());
        synchronized (this) {
            ready.lanes(lanes, direct);
            selector = ready;
        }
    }

    @Override
    public synchronized void lanes(int count, boolean isDirect) {
        lanes = count;
        direct = isDirect;
        if (selector != null) {
            selector.lanes(count, isDirect);
        }
    }

    @Override
    public void read(int rawLength, long nanos) {
        Selector current = selector;
        if (current != null) {
            current.read(rawLength, nanos);
        }
    }

    @Override
    public void sent(LaneWrite write) {
        Selector current = selector;
        if (current != null) {
            current.sent(write);
        } else {
            balance.add(write.writeNanos() + write.heldNanos(), write.starvedNanos());
        }
    }

    // one lane at a time listens to the receiver
    @Override
    public void told(Credit.Grant grant) {
        balance.answered();
    }

    @Override
    public Reason reason() {
        Selector current = selector;
        if (current != null) {
            return current.report().reason();
        }
        return new Reason(gzipUsed.get() ? Limit.TOO_LITTLE : Limit.NOTHING_TO_COMPRESS);
    }

    @Override
    public ArrayList<CodecProbe.Unusable> unusable() {
        return unusable;
    }
}
