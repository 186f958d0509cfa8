package io.jenkins.plugins.compressionaware.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import io.jenkins.plugins.compressionaware.engine.packed.PackedEnd;
import io.jenkins.plugins.compressionaware.engine.store.ObjectPart;
import io.jenkins.plugins.compressionaware.engine.store.PartChecksum;
import io.jenkins.plugins.compressionaware.engine.store.SignedRequest;
import io.jenkins.plugins.compressionaware.engine.store.StoreUpload;
import java.io.Closeable;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.LongConsumer;
import java.util.regex.Pattern;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The controller's end of one upload. The agent that calls it is not trusted: it can store one object, whose parts and files are checked. Thread-safe. */
@Restricted(NoExternalUse.class)
public final class UploadSession implements StoreUpload, Closeable {
    private static final String CONTENT_TYPE = "application/zstd";
    private static final int MAX_PARTS = 10_000;
    private static final int MAX_PART = 1 << 30;
    private static final Pattern CHECKSUM = Pattern.compile("[A-Za-z0-9+/=]{8,24}");
    private static final Pattern TAG = Pattern.compile("[\\w\"+/=.-]{1,200}");

    private final StoreLocation location;
    private final ObjectStore store;
    private final StoreJournal.Upload entry;
    private final String key;
    private final Collection<String> requested;
    private final int blockSize;
    private final LongConsumer progress;

    @GuardedBy("this")
    private final TreeMap<Integer, ObjectPart> parts = new TreeMap<>();

    @GuardedBy("this")
    private long length;

    @GuardedBy("this")
    private String upload;

    @GuardedBy("this")
    private PackedEnd end;

    private volatile boolean closed;

    /**
     * Begins an upload.
     *
     * @param prefix    of the object's key; empty or with a slash at its end
     * @param requested names of the files to accept; null for a stash
     * @param blockSize length of the largest block, bytes
     * @param progress  receives the length of each part that the agent is about to store
     */
    public UploadSession(
            StoreLocation location,
            String prefix,
            @CheckForNull Collection<String> requested,
            int blockSize,
            StoreJournal journal,
            LongConsumer progress)
            throws IOException {
        this(location, ObjectStores.of(location), prefix, requested, blockSize, journal, progress);
    }

    UploadSession(
            StoreLocation location,
            ObjectStore store,
            String prefix,
            @CheckForNull Collection<String> requested,
            int blockSize,
            StoreJournal journal,
            LongConsumer progress)
            throws IOException {
        this.location = location;
        this.store = store;
        this.requested = requested;
        this.blockSize = blockSize;
        this.progress = progress;
        key = prefix + UUID.randomUUID() + ".tar.zst";
        entry = journal.begin(location, key);
    }

    @Override
    public PartChecksum checksum() {
        return location.checksum();
    }

    @Override
    public synchronized SignedRequest[] sign(ObjectPart[] described) throws IOException {
        if (closed) {
            throw new IOException("The transfer is over");
        }
        SignedRequest[] signed = new SignedRequest[described.length];
        for (int i = 0; i < described.length; i++) {
            add(described[i]);
            signed[i] = sign(described[i]);
        }
        return signed;
    }

    @GuardedBy("this")
    private void add(ObjectPart part) throws IOException {
        boolean isWhole = part.number() == ObjectPart.WHOLE;
        boolean fits = parts.isEmpty() || parts.containsKey(ObjectPart.WHOLE) == isWhole;
        if (!fits
                || part.number() < 0
                || part.number() > MAX_PARTS
                || part.length() <= 0
                || part.length() > MAX_PART
                || part.checksum() == null
                || !CHECKSUM.matcher(part.checksum()).matches()) {
            throw new IOException("The agent described a part that is not possible");
        }
        ObjectPart before = parts.putIfAbsent(part.number(), part);
        if (before == null) {
            length += part.length();
            progress.accept(part.length());
        } else if (before.length() != part.length() || !before.checksum().equals(part.checksum())) {
            throw new IOException("The agent described a part twice");
        }
    }

    @GuardedBy("this")
    private SignedRequest sign(ObjectPart part) throws IOException {
        if (part.number() == ObjectPart.WHOLE) {
            return store.sign(key, CONTENT_TYPE, part.length(), part.checksum());
        }
        if (upload == null) {
            upload = store.create(key, CONTENT_TYPE);
        }
        return store.sign(key, upload, part);
    }

    @Override
    public synchronized byte[] end(byte[] listing) throws IOException {
        if (end != null || closed) {
            throw new IOException("The agent has listed its files before");
        }
        end = new PackedEnd(listing, requested, blockSize);
        return end.bytes();
    }

    /** Returns the end of the object, after {@link #complete}. */
    public synchronized PackedEnd packedEnd() {
        return end;
    }

    /**
     * Completes the object.
     *
     * @param tags tags of the parts, by the agent
     */
    public synchronized StoredRecord complete(List<String> tags) throws IOException {
        closed = true;
        if (end == null || length != end.framesEnd() + end.bytes().length) {
            throw new IOException("The agent did not store what it listed");
        }
        if (tags == null
                || tags.size() != parts.size()
                || !tags.stream().allMatch(tag -> tag != null && TAG.matcher(tag).matches())) {
            throw new IOException("The agent did not store all parts");
        }
        String tag = upload == null
                ? store.check(key, length)
                : store.complete(key, upload, List.copyOf(parts.values()), tags);
        return new StoredRecord(location.describe(), key, length, tag);
    }

    /** Keeps the object. Must be called after its record is saved. */
    public void commit() throws IOException {
        entry.commit();
    }

    /** Ends the upload. Unless it was committed, its object is one that {@link StoreJournal#clean} deletes. */
    @Override
    public void close() {
        closed = true;
        entry.close();
    }
}
