package io.jenkins.plugins.compressionaware.send;

import io.jenkins.plugins.compressionaware.adapt.Choice;
import io.jenkins.plugins.compressionaware.adapt.Decision;
import io.jenkins.plugins.compressionaware.adapt.JdkChooser;
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

/**
 * Gives each block what the {@link Selector} chooses. On an agent that has not used the codec libraries yet, a transfer begins with what
 * the JDK has. It has the libraries brought in the background once they would have saved as much time as bringing them takes; see
 * {@link LibraryWorth}. A single small transfer does not load them.
 */
final class AutoPolicy implements Policy {
    private final Compression.Auto bounds;
    private final int threads;
    private final Route route;
    private final Libraries libraries;
    private final JdkChooser jdk;
    private volatile boolean gzipUsed;
    private volatile int lanes;
    private boolean direct;
    private volatile Selector selector;
    /** Null until it is known which codecs work. */
    private volatile ArrayList<CodecProbe.Unusable> unusable;

    AutoPolicy(Compression.Auto bounds, int threads, Route route, TransferThreads maker) {
        this(bounds, threads, route, new Libraries(bounds.usable(), route.codecs(), maker));
    }

    AutoPolicy(Compression.Auto bounds, int threads, Route route, Libraries libraries) {
        this.bounds = bounds;
        this.threads = threads;
        this.route = route;
        this.libraries = libraries;
        jdk = new JdkChooser(bounds.minLevel(), bounds.maxLevel());
        lanes = route.lanes().size();
        useWhatIsThere();
    }

    private void useWhatIsThere() {
        if (unusable == null && libraries.areKnown()) {
            use(libraries.usable(), libraries.unusable());
        }
    }

    private synchronized void use(EnumSet<Codec> usable, ArrayList<CodecProbe.Unusable> lacking) {
        unusable = lacking;
        // a selector does not know gzip, and LZ4 alone sends half as much again
        if (selector != null || !usable.contains(Codec.ZSTD)) {
            return;
        }
        Selector ready = new Selector(bounds.minLevel(), bounds.maxLevel(), threads, usable);
        if (route.roundTripNanos() > 0) {
            ready.roundTrip(route.roundTripNanos());
        }
        double seen = jdk.linkNanosPerByte() / lanes;
        double link = seen > 0 ? seen : route.uplinkNanosPerByte();
        if (link > 0) {
            ready.link(link);
        }
        ready.sharedProcessors(route.sharedProcessors());
        ready.lanes(lanes, direct);
        selector = ready;
    }

    @Override
    public Plan plan(byte[] block, int length, String fileName) {
        useWhatIsThere();
        Selector current = selector;
        if (current == null) {
            Choice choice = jdk.choose(block, length);
            return new Plan(choice, (wireLength, nanos, cpuNanos) -> done(choice.codec(), wireLength, nanos));
        }
        Decision decision = current.choose(block, length, fileName);
        boolean shared = route.sharedProcessors() > 0;
        return new Plan(
                decision.choice(),
                (wireLength, nanos, cpuNanos) ->
                        current.compressed(decision, wireLength, shared && cpuNanos >= 0 ? cpuNanos : nanos));
    }

    private void done(Codec codec, int wireLength, long nanos) {
        if (codec == Codec.GZIP) {
            gzipUsed = true;
        }
        double link = jdk.nanosPerByte() / lanes;
        if (link >= 0 && bounds.maxLevel() > 0) {
            libraries.lost(LibraryWorth.lost(codec, wireLength, nanos, threads, link), link);
        }
    }

    // the JDK's checksum until the libraries are there
    @Override
    public Checksum checksum(Checksum wanted) {
        if (selector == null && wanted == Checksum.XXH64) {
            return Checksum.CRC32C;
        }
        return wanted.orCrc32c();
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
            jdk.sent(write);
        }
    }

    // one lane at a time hears the receiver
    @Override
    public void told(Credit.Grant grant) {
        jdk.answered();
    }

    @Override
    public Reason reason() {
        Selector current = selector;
        if (current != null) {
            return current.reason();
        }
        return new Reason(gzipUsed ? Limit.TOO_LITTLE : Limit.NOTHING_TO_COMPRESS);
    }

    @Override
    public ArrayList<CodecProbe.Unusable> unusable() {
        return unusable == null ? new ArrayList<>() : unusable;
    }
}
