package io.jenkins.plugins.compressionaware.store;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import io.jenkins.plugins.compressionaware.engine.store.ObjectPart;
import io.jenkins.plugins.compressionaware.engine.store.SignedRequest;
import java.io.IOException;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** One object of an {@link UploadSession}, which guards it. */
final class ObjectUpload {
    private static final int MAX_PARTS = 10_000;
    private static final int MAX_PART = 1 << 30;
    private static final Pattern CHECKSUM = Pattern.compile("[A-Za-z0-9+/=]{8,24}");
    private static final Pattern TAG = Pattern.compile("[\\w\"+/=.-]{1,200}");

    private final ObjectStore store;
    private final String key;
    private final String type;

    /** Name of the file; null if the object has several. */
    final String file;

    private final TreeMap<Integer, ObjectPart> parts = new TreeMap<>();
    private String upload;

    ObjectUpload(ObjectStore store, String key, String type, @CheckForNull String file) {
        this.store = store;
        this.key = key;
        this.type = type;
        this.file = file;
    }

    long length() {
        return parts.values().stream().mapToLong(ObjectPart::length).sum();
    }

    /** Adds a part, or checks that it is the same as before. Returns whether it is new. */
    boolean add(ObjectPart part) throws IOException {
        boolean isWhole = part.number() == ObjectPart.WHOLE;
        // only the parts of an upload cannot replace an object that is complete
        boolean fits =
                !(isWhole && file != null) && (parts.isEmpty() || parts.containsKey(ObjectPart.WHOLE) == isWhole);
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
        if (before != null
                && (before.length() != part.length() || !before.checksum().equals(part.checksum()))) {
            throw new IOException("The agent described a part twice");
        }
        return before == null;
    }

    SignedRequest sign(ObjectPart part) throws IOException {
        if (part.number() == ObjectPart.WHOLE) {
            return store.sign(key, type, part.length(), part.checksum());
        }
        if (upload == null) {
            upload = store.create(key, type);
        }
        return store.sign(key, upload, part);
    }

    /** @param tags tags of the parts, by the agent */
    StoredRecord complete(@CheckForNull List<String> tags, List<StoredRecord> files) throws IOException {
        if (tags == null
                || tags.size() != parts.size()
                || !tags.stream()
                        .allMatch(tag -> tag != null && TAG.matcher(tag).matches())) {
            throw new IOException("The agent did not store all parts");
        }
        String tag = upload == null
                ? store.check(key, length(), tags.get(0))
                : store.complete(key, upload, List.copyOf(parts.values()), tags);
        return new StoredRecord(store.location().describe(), key, length(), tag, files);
    }
}
