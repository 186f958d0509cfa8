package io.jenkins.plugins.compressionaware.store;

import io.jenkins.plugins.compressionaware.engine.run.ThreadCpuTimes;
import io.jenkins.plugins.compressionaware.engine.run.TransferThreads;
import io.jenkins.plugins.compressionaware.engine.store.ObjectReader;
import io.jenkins.plugins.compressionaware.engine.store.PartSender;
import io.jenkins.plugins.compressionaware.engine.store.SignedRequest;
import io.jenkins.plugins.compressionaware.engine.store.StoreUpload;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.regex.Pattern;

/** Tries the upload in parts, a range, and the deletion of an object. If it remains, it is found as one without a build. */
final class StoreTest {
    /** More than one part. */
    private static final int LENGTH = (8 << 20) + 1000;

    /** Answers of stores that do not know a checksum. */
    private static final Pattern CHECKSUM =
            Pattern.compile("(HTTP|Status Code:) (400|501)|checksum", Pattern.CASE_INSENSITIVE);

    private StoreTest() {}

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
        byte[] object = new byte[LENGTH];
        new Random().nextBytes(object);
        ObjectUpload upload = new ObjectUpload(store, key, "application/octet-stream", null);
        StoreUpload controller = parts -> {
            SignedRequest[] signed = new SignedRequest[parts.length];
            for (int i = 0; i < parts.length; i++) {
                upload.add(parts[i]);
                signed[i] = upload.sign(parts[i]);
            }
            return signed;
        };
        Closeable cleanup = () -> {
            store.abort(key);
            store.delete(List.of(key));
        };
        try (cleanup;
                PartSender sender = new PartSender(
                        controller, location.checksum(), new TransferThreads(new ThreadCpuTimes()), write -> {})) {
            sender.append(object, 0, object.length);
            String tag = upload.complete(sender.finish(), List.of()).tag();
            ObjectReader reader = new ObjectReader(() -> store.signGet(key, Duration.ofMinutes(10), null), LENGTH, tag);
            int from = LENGTH / 2;
            try (InputStream in = reader.open(from, LENGTH - from)) {
                if (!Arrays.equals(in.readAllBytes(), Arrays.copyOfRange(object, from, LENGTH))) {
                    throw new IOException("The store returned other bytes than it was sent");
                }
            }
        }
    }
}
