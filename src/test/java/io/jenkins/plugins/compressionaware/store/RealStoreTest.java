package io.jenkins.plugins.compressionaware.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import io.jenkins.plugins.compressionaware.engine.run.ThreadCpuTimes;
import io.jenkins.plugins.compressionaware.engine.run.TransferThreads;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.StoreSender;
import io.jenkins.plugins.compressionaware.engine.store.ObjectPart;
import io.jenkins.plugins.compressionaware.engine.store.ObjectReader;
import io.jenkins.plugins.compressionaware.engine.store.PartChecksum;
import io.jenkins.plugins.compressionaware.engine.store.PartSender;
import io.jenkins.plugins.compressionaware.engine.store.SignedRequest;
import io.jenkins.plugins.compressionaware.engine.store.StoreAnswers;
import io.jenkins.plugins.compressionaware.engine.store.StoreException;
import io.jenkins.plugins.compressionaware.engine.store.StoreFailure;
import io.jenkins.plugins.compressionaware.engine.store.StoreUpload;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Transfers with a store in another process. */
@Timeout(120)
class RealStoreTest extends RealStoreTestBase {
    private static final String PREFIX = "real/";

    @ParameterizedTest
    @EnumSource(PartChecksum.class)
    void testOfTheSettingsSucceeds(PartChecksum checksum) throws Exception {
        StoreLocation location = location(checksum);
        try (ObjectStore store = open(location, "AWS_SECRET_ACCESS_KEY")) {
            StoreProbe.run(location, PREFIX, store);
        }
    }

    @ParameterizedTest
    @EnumSource(PartChecksum.class)
    void objectsAreStoredReadAndDeleted(PartChecksum checksum) throws Exception {
        StoreLocation location = location(checksum);
        Path tree = Files.createDirectories(tmp.resolve("tree"));
        FileTrees.noise(tree.resolve("a"), 40_000_000);
        try (ObjectStore store = open(location, "AWS_SECRET_ACCESS_KEY");
                UploadSession session = new UploadSession(store, PREFIX, Set.of("a"), BLOCK, journal, bytes -> {})) {
            SendOptions options = new SendOptions(Codec.NONE, 0, BLOCK, 1);
            StoreSender.Stored stored =
                    StoreSender.send(tree, Map.of("a", "a"), options, session, location.checksum(), true, null);
            StoredRecord record = session.complete(stored.tags(), stored.files());
            ObjectReader reader =
                    new ObjectReader(() -> store.signGet(record.key(), VALID, null), record.length(), record.tag());
            byte[] content = Files.readAllBytes(tree.resolve("a"));
            try (InputStream in = reader.open(0, record.length())) {
                assertTrue(in.readAllBytes().length > content.length);
            }
            List<String> keys = new ArrayList<>();
            store.list(PREFIX, (key, time) -> keys.add(key));
            assertTrue(keys.contains(record.key()), keys.toString());
            session.close();
            journal.clean();
            keys.clear();
            store.list(PREFIX, (key, time) -> keys.add(key));
            assertEquals(List.of(), keys);
            assertThrows(IOException.class, () -> reader.open(0, 10).read());
        }
    }

    private static int put(SignedRequest signed, byte[] body, String... headers) throws IOException {
        HttpURLConnection connection =
                (HttpURLConnection) URI.create(url(signed)).toURL().openConnection();
        connection.setRequestMethod("PUT");
        connection.setDoOutput(true);
        connection.setFixedLengthStreamingMode(body.length);
        for (int i = 0; i < headers.length; i += 2) {
            connection.setRequestProperty(headers[i], headers[i + 1]);
        }
        try (OutputStream out = connection.getOutputStream()) {
            out.write(body);
        }
        return connection.getResponseCode();
    }

    private static String url(SignedRequest signed) {
        try {
            var field = SignedRequest.class.getDeclaredField("url");
            field.setAccessible(true);
            return (String) field.get(signed);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** The store, not this plugin, refuses what was not signed. */
    @ParameterizedTest
    @EnumSource(PartChecksum.class)
    void otherBytesAreRefused(PartChecksum checksum) throws Exception {
        StoreLocation location = location(checksum);
        try (ObjectStore store = open(location, "AWS_SECRET_ACCESS_KEY")) {
            String key = PREFIX + "refused";
            String upload = store.create(key, "text/plain");
            byte[] bytes = new byte[100];
            String sum = checksum.of(bytes, bytes.length);
            SignedRequest signed = store.sign(key, upload, new ObjectPart("", 1, bytes.length, sum));
            byte[] other = bytes.clone();
            other[50] = 1;
            assertEquals(400, put(signed, other, checksum.header(), sum) / 100 * 100, "other bytes");
            assertEquals(403, put(signed, new byte[101], checksum.header(), sum), "another length");
            assertEquals(
                    403, put(signed, other, checksum.header(), checksum.of(other, other.length)), "another checksum");
            assertEquals(200, put(signed, bytes, checksum.header(), sum));
            store.abort(key);
        }
    }

    @Test
    void wrongSecretIsRefused() throws Exception {
        StoreLocation location = location(PartChecksum.CRC32C);
        Queue<String> answers = new ConcurrentLinkedQueue<>();
        StoreAnswers.observe((kind, answer) -> answers.add(kind + " " + answer));
        try (ObjectStore store = open(location, "AWS_ACCESS_KEY_ID")) {
            IOException failure = assertThrows(IOException.class, () -> store.create(PREFIX + "x", "text/plain"));
            assertTrue(failure.getMessage().contains("403"), failure.getMessage());
            store.signGet(PREFIX + "x", VALID, null);
            assertEquals(List.of("begin denied", "sign ok"), List.copyOf(answers));
        } finally {
            StoreAnswers.observe((kind, answer) -> {});
        }
    }

    /** The store refuses the parts before it has read them. */
    @Test
    void refusedPartsAreExplained() throws Exception {
        StoreLocation location = location(PartChecksum.CRC32C);
        try (ObjectStore store = open(location, "AWS_SECRET_ACCESS_KEY");
                ObjectStore wrong = open(location, "AWS_ACCESS_KEY_ID")) {
            String key = PREFIX + "explained";
            String upload = store.create(key, "text/plain");
            StoreUpload controller = parts -> {
                SignedRequest[] signed = new SignedRequest[parts.length];
                for (int i = 0; i < parts.length; i++) {
                    signed[i] = wrong.sign(key, upload, parts[i]);
                }
                return signed;
            };
            try (PartSender sender = new PartSender(
                    controller, location.checksum(), new TransferThreads(new ThreadCpuTimes()), write -> {}, 0)) {
                byte[] bytes = new byte[20 << 20];
                IOException failure = assertThrows(IOException.class, () -> {
                    sender.append(bytes, 0, bytes.length);
                    sender.finish();
                });
                assertTrue(failure.getMessage().contains("HTTP 403"), failure.getMessage());
                assertEquals(StoreFailure.DENIED, ((StoreException) failure.getCause()).failure());
            }
            store.abort(key);
        }
    }

    @Test
    void readBytesAreThoseThatWereStored() throws Exception {
        StoreLocation location = location(PartChecksum.CRC32C);
        try (ObjectStore store = open(location, "AWS_SECRET_ACCESS_KEY")) {
            byte[] bytes = "abcdefghij".getBytes(StandardCharsets.US_ASCII);
            String sum = PartChecksum.CRC32C.of(bytes, bytes.length);
            String key = PREFIX + "small";
            SignedRequest signed = store.sign(key, "text/plain", bytes.length, sum);
            assertEquals(200, put(signed, bytes, PartChecksum.CRC32C.header(), sum, "Content-Type", "text/plain"));
            String stored = store.check(key, bytes.length, null);
            ObjectReader reader = new ObjectReader(() -> store.signGet(key, VALID, null), bytes.length, stored);
            try (InputStream in = reader.open(3, 4)) {
                assertArrayEquals("defg".getBytes(StandardCharsets.US_ASCII), in.readAllBytes());
            }

            byte[] other = "0123456789".getBytes(StandardCharsets.US_ASCII);
            String otherSum = PartChecksum.CRC32C.of(other, other.length);
            SignedRequest again = store.sign(key, "text/plain", other.length, otherSum);
            assertEquals(200, put(again, other, PartChecksum.CRC32C.header(), otherSum, "Content-Type", "text/plain"));
            StoreException replaced =
                    assertThrows(StoreException.class, () -> reader.open(3, 4).read());
            assertEquals(StoreFailure.CHANGED, replaced.failure());
            store.delete(List.of(key));
        }
    }
}
