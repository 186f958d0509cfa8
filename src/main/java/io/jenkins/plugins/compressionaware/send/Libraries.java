package io.jenkins.plugins.compressionaware.send;

import io.jenkins.plugins.compressionaware.adapt.LibraryWorth;
import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.codec.CodecProbe;
import io.jenkins.plugins.compressionaware.transfer.TransferThreads;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The codec libraries that one transfer may use. It has them brought into this JVM, once, when transfers have lost as much time without them
 * as bringing them takes; see {@link LibraryWorth}. Any thread may call.
 */
final class Libraries {
    /** Size of the jars of zstd-jni 1.5.7 and lz4-java 1.13, which travel over the channel when their first class is used. */
    static final long JARS = 8_000_000;

    /** Nanoseconds that all transfers of this JVM have lost without the libraries: many small ones repay them, too. */
    private static final DoubleAdder LOST = new DoubleAdder();

    private final Set<Codec> codecs;
    private final CodecSource source;
    private final TransferThreads maker;
    private final Predicate<Codec> known;
    private final Function<Codec, Optional<String>> problem;
    private final DoubleAdder lost;
    private final AtomicBoolean wanted = new AtomicBoolean();

    /**
     * @param codecs that the other end can use
     * @param source where they are; null if their first class brings them
     */
    Libraries(Set<Codec> codecs, CodecSource source, TransferThreads maker) {
        this(codecs, source, maker, CodecProbe::isKnown, CodecProbe::problem, LOST);
    }

    /**
     * @param known   whether a codec has been tried in this JVM
     * @param problem tries a codec, which brings its library; empty if it works
     * @param lost    nanoseconds lost by all transfers
     */
    Libraries(
            Set<Codec> codecs,
            CodecSource source,
            TransferThreads maker,
            Predicate<Codec> known,
            Function<Codec, Optional<String>> problem,
            DoubleAdder lost) {
        this.codecs = codecs;
        this.source = source;
        this.maker = maker;
        this.known = known;
        this.problem = problem;
        this.lost = lost;
    }

    /** Whether every codec has been tried, so that nothing has to be brought. */
    boolean areKnown() {
        for (Codec codec : codecs) {
            if (!known.test(codec)) {
                return false;
            }
        }
        return true;
    }

    EnumSet<Codec> usable() {
        EnumSet<Codec> usable = EnumSet.noneOf(Codec.class);
        codecs.stream().filter(codec -> problem.apply(codec).isEmpty()).forEach(usable::add);
        return usable;
    }

    ArrayList<CodecProbe.Unusable> unusable() {
        ArrayList<CodecProbe.Unusable> unusable = new ArrayList<>();
        codecs.forEach(codec ->
                problem.apply(codec).ifPresent(why -> unusable.add(new CodecProbe.Unusable(codec, null, why))));
        return unusable;
    }

    /**
     * Counts time lost without the libraries, and has them brought once that pays.
     *
     * @param link nanoseconds per byte on the libraries' way
     */
    void lost(double nanos, double link) {
        lost.add(nanos);
        long bytes = source == null ? JARS : source.wireBytes();
        if (!areKnown() && lost.sum() > LibraryWorth.price(bytes, link) && wanted.compareAndSet(false, true)) {
            bring();
        }
    }

    private void bring() {
        if (source != null) {
            source.bring().run();
        } else {
            maker.startOptional("load codecs", () -> List.copyOf(codecs).forEach(problem::apply));
        }
    }
}
