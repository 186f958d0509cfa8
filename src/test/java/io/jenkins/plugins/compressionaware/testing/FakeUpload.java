package io.jenkins.plugins.compressionaware.testing;

import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import io.jenkins.plugins.compressionaware.engine.store.ObjectPart;
import io.jenkins.plugins.compressionaware.engine.store.ObjectReader;
import io.jenkins.plugins.compressionaware.engine.store.PartChecksum;
import io.jenkins.plugins.compressionaware.engine.store.SignedRequest;
import io.jenkins.plugins.compressionaware.engine.store.StoreUpload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;

/** The controller's end of an upload to a {@link FakeStore}, without a controller. */
public final class FakeUpload implements StoreUpload {
    public static final String PATH = "/bucket/key";

    private final FakeStore store;
    public final PartChecksum checksum;
    private final UnaryOperator<byte[]> end;
    private String upload;
    private boolean isWhole;

    /** The parts of each call. */
    public final List<List<Integer>> signed = new CopyOnWriteArrayList<>();

    public volatile Duration valid = Duration.ofMinutes(10);

    /** @param end makes the end of the object */
    public FakeUpload(FakeStore store, PartChecksum checksum, UnaryOperator<byte[]> end) {
        this.store = store;
        this.checksum = checksum;
        this.end = end;
    }

    @Override
    public synchronized SignedRequest[] sign(ObjectPart[] parts) {
        SignedRequest[] requests = new SignedRequest[parts.length];
        for (int i = 0; i < parts.length; i++) {
            ObjectPart part = parts[i];
            isWhole = part.number() == ObjectPart.WHOLE;
            upload = upload == null && !isWhole ? store.createUpload() : upload;
            String path = PATH + (isWhole ? "" : "?partNumber=" + part.number() + "&uploadId=" + upload);
            Map<String, String> headers = new TreeMap<>();
            headers.put(checksum.header(), part.checksum());
            headers.put("Content-Length", String.valueOf(part.length()));
            requests[i] =
                    new SignedRequest(store.sign("PUT", path, headers, valid), checksum.header(), part.checksum());
        }
        signed.add(List.of(parts).stream().map(ObjectPart::number).toList());
        return requests;
    }

    @Override
    public byte[] end(byte[] listing) {
        return end.apply(listing);
    }

    /** Completes the object, and returns a reader of it. */
    public ObjectReader complete(List<String> tags) throws IOException {
        String tag = isWhole ? tags.get(0) : store.complete(PATH, upload, tags);
        return new ObjectReader(
                () -> new SignedRequest(store.sign("GET", PATH, Map.of(), valid)), store.object(PATH).length, tag);
    }

    /** Returns a record of an object that a build owns. */
    public static StoredRecord record(Path build, String store, long length, String tag) throws IOException {
        String id = UUID.randomUUID().toString();
        Path lists = Files.createDirectories(build.resolve(StoredRecord.LISTS));
        StoredRecord record = new StoredRecord(store, "jobs/" + id + ".tar.zst", length, tag, List.of());
        Files.write(lists.resolve(id), List.of(store, record.key()));
        return record;
    }
}
