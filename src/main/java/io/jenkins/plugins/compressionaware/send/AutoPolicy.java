package io.jenkins.plugins.compressionaware.send;

import io.jenkins.plugins.compressionaware.adapt.AutoOptions;
import io.jenkins.plugins.compressionaware.adapt.Choice;
import io.jenkins.plugins.compressionaware.adapt.Decision;
import io.jenkins.plugins.compressionaware.adapt.JdkChoice;
import io.jenkins.plugins.compressionaware.adapt.LaneWrite;
import io.jenkins.plugins.compressionaware.adapt.LibraryWorth;
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
import java.util.concurrent.atomic.DoubleAdder;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Each block gets what the {@link Selector} chooses. On an agent that has not used the codec libraries yet, a transfer begins with what
 * the JDK has, and has them brought beside its work once they would have saved as much time as that takes; see {@link LibraryWorth}. A small
 * transfer never loads them.
 */
final class AutoPolicy implements Policy {
    /** Size of the jars of zstd-jni 1.5.7 and lz4-java 1.13, which travel over the channel when their first class is used. */
    private static final long LIBRARIES = 8_000_000;

    private static final Logger LOGGER = Logger.getLogger(AutoPolicy.class.getName());

    private final Compression.Auto bounds;
    private final int threads;
    private final Route route;
    private final TransferThreads maker;
    /** What all transfers of this JVM have lost without the libraries, nanoseconds: many small ones repay them, too. */
    private static final DoubleAdder LOST = new DoubleAdder();

    private final AtomicBoolean gzipUsed = new AtomicBoolean();
    private final LaneBalance balance = new LaneBalance();
    private final AtomicBoolean wanted = new AtomicBoolean();
    private final AtomicBoolean loading = new AtomicBoolean();
    private volatile int lanes;
    private boolean direct;
    private volatile Selector selector;
    /** Null until the libraries have been tried. */
    private volatile ArrayList<CodecProbe.Unusable> unusable;

    AutoPolicy(Compression.Auto bounds, int threads, Route route, TransferThreads maker) {
        this.bounds = bounds;
        this.threads = threads;
        this.route = route;
        lanes = route.lanes().size();
        this.maker = maker;
        if (route.before() != null) {
            balance.add(route.before());
            balance.answered();
        }
        loadWhatIsThere();
        LaneWrite before = route.before();
        if (before != null && selector == null) {
            lose(Codec.GZIP, before.wireLength(), before.starvedNanos());
        }
    }

    private void loadWhatIsThere() {
        if (selector == null && unusable == null && bounds.usable().stream().allMatch(CodecProbe::isKnown)) {
            load();
        }
    }

    /** A block was made with what the JDK has. */
    private void lose(Codec codec, int wireLength, long nanos) {
        double link = balance.nanosPerByte() / lanes;
        if (link < 0) {
            return;
        }
        LOST.add(LibraryWorth.lost(codec, wireLength, nanos, threads, link));
        long bytes = route.codecs() == null ? LIBRARIES : route.codecs().wireBytes();
        boolean worth = LOST.sum() > LibraryWorth.price(bytes, link);
        if (worth && bounds.maxLevel() > 0 && unusable == null && wanted.compareAndSet(false, true)) {
            if (route.codecs() == null) {
                loadBesides();
            } else {
                route.codecs().bring().run();
            }
        }
    }

    private void loadBesides() {
        try {
            maker.create("load codecs", this::load).start();
        } catch (OutOfMemoryError e) { // no thread is to be had: what the JDK has will do
            LOGGER.log(Level.FINE, "Cannot load codecs", e);
        }
    }

    @Override
    public Plan plan(byte[] block, int length, String fileName) {
        loadWhatIsThere();
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
            if (choice.codec() == Codec.GZIP) {
                gzipUsed.set(true);
            }
            lose(choice.codec(), wireLength, nanos);
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
        if (!loading.compareAndSet(false, true)) {
            return;
        }
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
        // gzip, which a selector does not know, is better than nothing
        if (!usable.contains(Codec.ZSTD) && !usable.contains(Codec.LZ4)) {
            return;
        }
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
            balance.add(write);
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
            return current.reason();
        }
        return new Reason(gzipUsed.get() ? Limit.TOO_LITTLE : Limit.NOTHING_TO_COMPRESS);
    }

    @Override
    public ArrayList<CodecProbe.Unusable> unusable() {
        return unusable == null ? new ArrayList<>() : unusable;
    }
}
