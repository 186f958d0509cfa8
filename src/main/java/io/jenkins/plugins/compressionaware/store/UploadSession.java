package io.jenkins.plugins.compressionaware.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import io.jenkins.plugins.compressionaware.engine.packed.PackedEnd;
import io.jenkins.plugins.compressionaware.engine.store.ObjectPart;
import io.jenkins.plugins.compressionaware.engine.store.SignedRequest;
import io.jenkins.plugins.compressionaware.engine.store.StoreUpload;
import io.jenkins.plugins.compressionaware.engine.tar.TarEntry;
import io.jenkins.plugins.compressionaware.engine.tar.TarWalker;
import java.io.Closeable;
import java.io.IOException;
import java.net.URLConnection;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongConsumer;
import java.util.regex.Pattern;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The controller's end of one upload. The agent that calls it is not trusted: it can store one object, whose parts and files are checked. Thread-safe. */
@Restricted(NoExternalUse.class)
public final class UploadSession implements StoreUpload, Closeable {
    private static final String CONTENT_TYPE = "application/zstd";
    private static final Pattern UNSAFE = Pattern.compile("^[.]+|[^A-Za-z0-9._-]");
    private static final int MAX_NAME = 100;

    /** Maximum length of a list, bytes, because the controller needs up to 14 times as much heap for a forged one. */
    private static final long MAX_LISTING = Runtime.getRuntime().maxMemory() / 32;

    /** Maximum length of a list of frames, bytes: those of 5 TB. */
    private static final long MAX_FRAMES = 48 << 20;

    /** Maximum mean length of an entry in the list, bytes. */
    private static final long MAX_ENTRY = 400;

    private final ObjectStore store;
    private final StoreJournal.Upload list;
    private final String prefix;

    @GuardedBy("this")
    private Collection<String> requested;

    private final int blockSize;
    private final LongConsumer progress;

    private final ObjectUpload main;

    /** The objects of single files by their keys. */
    @GuardedBy("this")
    private final Map<String, ObjectUpload> files = new HashMap<>();

    /** The names of these files. */
    @GuardedBy("this")
    private final Set<String> begun = new HashSet<>();

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
            ObjectStore store,
            String prefix,
            @CheckForNull Collection<String> requested,
            int blockSize,
            StoreJournal journal,
            LongConsumer progress)
            throws IOException {
        this.store = store;
        this.requested = requested;
        this.blockSize = blockSize;
        this.progress = progress;
        this.prefix = prefix;
        String id = UUID.randomUUID().toString();
        String key = prefix + id + ".tar.zst";
        main = new ObjectUpload(store, key, CONTENT_TYPE, null);
        list = journal.begin(store.location(), key, id);
    }

    @Override
    public synchronized SignedRequest[] sign(ObjectPart[] described) throws IOException {
        if (closed) {
            throw new IOException("The transfer is over");
        }
        SignedRequest[] signed = new SignedRequest[described.length];
        for (int i = 0; i < described.length; i++) {
            ObjectPart part = described[i];
            ObjectUpload object = part.object().isEmpty() ? main : files.get(part.object());
            if (object == null || object != main && end != null) {
                throw new IOException("The agent described an object that it must not store");
            }
            if (object.add(part)) {
                progress.accept(part.length());
            }
            signed[i] = object.sign(part);
        }
        return signed;
    }

    @Override
    public synchronized String begin(String name) throws IOException {
        String normal = TarWalker.normal(name);
        if (closed || requested == null || !requested.contains(name) || !begun.add(normal)) {
            throw new IOException("The agent began an object that it must not store");
        }
        String file = UNSAFE.matcher(name.substring(name.lastIndexOf('/') + 1)).replaceAll("_");
        String key = prefix + UUID.randomUUID() + '/' + file.substring(Math.max(0, file.length() - MAX_NAME));
        String type = URLConnection.guessContentTypeFromName(file);
        list.add(key);
        files.put(key, new ObjectUpload(store, key, type == null ? "application/octet-stream" : type, normal));
        return key;
    }

    /** Returns the file for a link to its object, and any other entry itself. */
    private static TarEntry withObject(TarEntry found, Map<String, ObjectUpload> files) {
        ObjectUpload object = found.type() == TarEntry.LINK ? files.get(found.target()) : null;
        return object != null && object.file.equals(found.name()) ? found.ofObject(object.length()) : found;
    }

    @Override
    public synchronized byte[] end(byte[] listing) throws IOException {
        if (end != null || closed) {
            throw new IOException("The agent has listed its files before");
        }
        long most = MAX_FRAMES + MAX_ENTRY * (requested == null ? 0 : requested.size());
        if (listing.length > most) {
            throw new IOException("The agent sent a list of files that is too long");
        } else if (listing.length > MAX_LISTING) {
            throw new IOException("The heap of the controller is too small for the list of the files");
        }
        Map<String, ObjectUpload> objects = files;
        end = new PackedEnd(listing, requested, blockSize, found -> withObject(found, objects));
        return end.bytes();
    }

    /** Returns the end of the object, after {@link #complete}. */
    public synchronized PackedEnd packedEnd() {
        return end;
    }

    /**
     * Completes all objects.
     *
     * @param tags    tags of the parts, by the agent
     * @param ofFiles the same for the objects of single files, by key
     */
    public synchronized StoredRecord complete(List<String> tags, Map<String, List<String>> ofFiles) throws IOException {
        closed = true;
        if (end == null || ofFiles == null || main.length() != end.length()) {
            throw new IOException("The agent did not store what it listed");
        }
        List<StoredRecord> records = new ArrayList<>();
        for (Map.Entry<String, ObjectUpload> file : files.entrySet()) {
            records.add(file.getValue().complete(ofFiles.get(file.getKey()), List.of()));
        }
        return main.complete(tags, records);
    }

    /** Gives the objects to a build. Must be called before their record is saved. */
    public void commit(Path build) throws IOException {
        list.commit(build);
    }

    /** Ends the upload. Its objects are to be deleted unless {@link #commit} was called. */
    @Override
    public synchronized void close() {
        closed = true;
        // the agent may keep this session alive
        files.clear();
        begun.clear();
        requested = null;
        end = null;
        list.end();
    }
}
