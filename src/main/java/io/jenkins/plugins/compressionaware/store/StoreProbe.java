package io.jenkins.plugins.compressionaware.store;

import io.jenkins.plugins.compressionaware.engine.flow.HeapBudget;
import io.jenkins.plugins.compressionaware.engine.run.ThreadCpuTimes;
import io.jenkins.plugins.compressionaware.engine.run.TransferThreads;
import io.jenkins.plugins.compressionaware.engine.store.ObjectPart;
import io.jenkins.plugins.compressionaware.engine.store.ObjectReader;
import io.jenkins.plugins.compressionaware.engine.store.PartChecksum;
import io.jenkins.plugins.compressionaware.engine.store.PartSender;
import io.jenkins.plugins.compressionaware.engine.store.SignedRequest;
import io.jenkins.plugins.compressionaware.engine.store.StoreException;
import io.jenkins.plugins.compressionaware.engine.store.StoreFailure;
import io.jenkins.plugins.compressionaware.engine.store.StoreLimits;
import io.jenkins.plugins.compressionaware.engine.store.StoreUpload;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;

/** Tries uploads by one request and in parts, wrong checksums, ranges, a list and a deletion. An object that remains is found as one without a build. */
record StoreProbe(ObjectStore store, PartChecksum checksum, String key, byte[] bytes) {
    private static final int PART = 8 << 20;
    private static final StoreLimits ONCE = new StoreLimits(60_000, 1, 0, System::nanoTime);

    /** Answers of stores that do not know a checksum. */
    private static final Pattern CHECKSUM =
            Pattern.compile("(HTTP|Status Code:) (400|501)|checksum", Pattern.CASE_INSENSITIVE);

    /** @throws IOException with the first problem */
    static void run(StoreLocation location, String prefix) throws IOException, InterruptedException {
        try (ObjectStore store = ObjectStore.open(location)) {
            run(location, prefix, store);
        } catch (LinkageError e) {
            throw new IOException("The store needs the plugins aws-credentials and aws-java-sdk2-s3: " + e, e);
        }
    }

    /** Returns whether a store may know MD5 instead of CRC-32C. */
    static boolean mayNeedMd5(IOException failure) {
        return CHECKSUM.matcher(String.valueOf(failure.getMessage())).find();
    }

    static void run(StoreLocation location, String prefix, ObjectStore store) throws IOException, InterruptedException {
        String key = prefix + UUID.randomUUID() + ".tar.zst";
        byte[] bytes = new byte[PART + 1000];
        ThreadLocalRandom.current().nextBytes(bytes);
        Closeable cleanup = () -> {
            store.abort(key);
            store.delete(List.of(key));
        };
        try (cleanup) {
            StoreProbe probe = new StoreProbe(store, location.checksum(), key, bytes);
            probe.run(1000);
            probe.run(bytes.length);
            store.list(key, (found, time) -> {});
        }
    }

    private void run(int length) throws IOException, InterruptedException {
        String tag = store(length, false);
        refuseDamage(length);
        ObjectReader reader = new ObjectReader(() -> store.signGet(key, Duration.ofMinutes(10), null), length, tag);
        int from = length / 2;
        try (InputStream in = reader.open(from, length - from)) {
            if (!Arrays.equals(in.readAllBytes(), Arrays.copyOfRange(bytes, from, length))) {
                throw new IOException("The store returned other bytes than it was sent");
            }
        }
    }

    private void refuseDamage(int length) throws IOException, InterruptedException {
        try {
            store(length, true);
        } catch (IOException e) {
            if (e.getCause() instanceof StoreException refused
                    && (refused.failure() == StoreFailure.DAMAGED || refused.failure() == StoreFailure.REFUSED)) {
                return;
            }
            throw e;
        }
        throw new IOException("The store accepted bytes whose checksum (" + checksum.header() + ") was wrong");
    }

    /** Stores the first bytes, in two parts if there are enough, and returns the tag. If damaged, the bytes differ from their checksums. */
    private String store(int length, boolean damaged) throws IOException, InterruptedException {
        ObjectUpload upload = new ObjectUpload(store, key, "application/octet-stream", null);
        StoreUpload controller = parts -> {
            SignedRequest[] signed = new SignedRequest[parts.length];
            for (int i = 0; i < parts.length; i++) {
                String sum = damaged ? checksum.of(bytes, 1) : parts[i].checksum();
                ObjectPart part = new ObjectPart("", parts[i].number(), parts[i].length(), sum);
                upload.add(part);
                signed[i] = upload.sign(part);
            }
            return signed;
        };
        TransferThreads threads = new TransferThreads(new ThreadCpuTimes());
        StoreLimits limits = damaged ? ONCE : StoreLimits.DEFAULT;
        try (PartSender sender =
                new PartSender(controller, checksum, threads, write -> {}, limits, PART, HeapBudget.ofThisJvm(), 0)) {
            sender.append(bytes, 0, length);
            return upload.complete(sender.finish(), List.of()).tag();
        }
    }
}
