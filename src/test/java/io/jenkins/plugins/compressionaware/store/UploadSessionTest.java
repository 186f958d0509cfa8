package io.jenkins.plugins.compressionaware.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import io.jenkins.plugins.compressionaware.engine.run.ThreadCpuTimes;
import io.jenkins.plugins.compressionaware.engine.run.TransferThreads;
import io.jenkins.plugins.compressionaware.engine.store.ObjectReader;
import io.jenkins.plugins.compressionaware.engine.store.PartChecksum;
import io.jenkins.plugins.compressionaware.engine.store.PartSender;
import io.jenkins.plugins.compressionaware.engine.store.SignedRequest;
import io.jenkins.plugins.compressionaware.engine.store.StoreUpload;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Uploads that the SDK signs. */
class UploadSessionTest extends UploadTestBase {
    UploadSessionTest() throws IOException {}

    @ParameterizedTest
    @EnumSource(PartChecksum.class)
    void objectsAreStoredAndReadBySignatures(PartChecksum checksum) throws Exception {
        open(checksum);
        for (int bytes : new int[] {1000, 20_000_000}) {
            StoredRecord record = store(bytes);
            assertEquals(location, StoreLocation.parse(record.store()));
            assertTrue(record.key().startsWith("jobs/"), record.key());
            byte[] object = server.object("/bucket/" + record.key());
            assertEquals(record.length(), object.length);
            ObjectReader reader =
                    new ObjectReader(() -> store.signGet(record.key(), VALID, null), record.length(), record.tag());
            try (InputStream in = reader.open(0, record.length())) {
                assertArrayEquals(object, in.readAllBytes());
            }
        }
        assertEquals(0, entries());
        assertEquals(0, server.uploads());
    }

    /** The answer of the store may be lost, and the SDK repeats the request. */
    @Test
    void completedUploadMayBeCompletedAgain() throws Exception {
        ObjectUpload upload = new ObjectUpload(store, "jobs/x", "text/plain", null);
        StoreUpload controller = parts -> {
            SignedRequest[] signed = new SignedRequest[parts.length];
            for (int i = 0; i < parts.length; i++) {
                upload.add(parts[i]);
                signed[i] = upload.sign(parts[i]);
            }
            return signed;
        };
        List<String> tags;
        try (PartSender sender = new PartSender(
                controller, PartChecksum.CRC32C, new TransferThreads(new ThreadCpuTimes()), write -> {}, 0)) {
            sender.append(new byte[9 << 20], 0, 9 << 20);
            tags = sender.finish();
        }
        StoredRecord first = upload.complete(tags, List.of());
        assertEquals(first, upload.complete(tags, List.of()));
        server.delete("/bucket/jobs/x");
        assertThrows(IOException.class, () -> upload.complete(tags, List.of()));
    }

    @Test
    void objectsAreListed() throws Exception {
        StoredRecord record = store(1000);
        List<String> keys = new ArrayList<>();
        store.list("jobs/", (key, stored) -> keys.add(key));
        store.list("other/", (key, stored) -> keys.add(key));
        assertEquals(List.of(record.key()), keys);
    }
}
