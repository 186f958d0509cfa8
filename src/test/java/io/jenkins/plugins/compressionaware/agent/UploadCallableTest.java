package io.jenkins.plugins.compressionaware.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import hudson.FilePath.FileCallable;
import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.engine.send.CompressionMode;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The serialized calls to a fresh agent. */
class UploadCallableTest {
    private static final SendOptions AUTO =
            new SendOptions(new CompressionMode.Auto(1, 7, false, false), 2048, 3, Checksum.XXHASH64);

    private static final DirectLaneOffer OFFER = new DirectLaneOffer(
            new ArrayList<>(List.of("http://a/", "http://b/")),
            "secret",
            2,
            true,
            77,
            new DirectLaneOffer.Limits(5, 6));

    /** A record takes a fresh JVM 10 to 40 ms. */
    @Test
    void serializedCallsContainNoRecord() throws Exception {
        FileSelection.ByName files = FileSelection.ByName.of(Map.of("name", "path"));
        List<Object> calls = List.of(
                new UploadCallable(files, AUTO, new ArrayList<>(), null, 9, 0, 0, 5, Double.NaN, 2, OFFER, null, 1),
                new DownloadCallable(1, 1, new ArrayList<>(), null, OFFER, false, 1, 0),
                new BootstrapUnstashCallable(new byte[1], true),
                new AgentInfoCallable());
        List<String> records = new ArrayList<>();
        for (Object call : calls) {
            deserialize(call, records);
        }
        assertEquals(List.of(), records);
    }

    @Test
    void deserializedObjectsAreEqual() throws Exception {
        SendOptions fixed = new SendOptions(Codec.ZSTD, 5, 2048, 3);
        for (Object written : List.of(AUTO, fixed, OFFER)) {
            assertEquals(written, deserialize(written, new ArrayList<>()));
        }
    }

    /** The thread of an aborted call writes the result, which is cut short if the thread is still interrupted. */
    @Test
    void interruptIsClearedBeforeResultIsWritten() throws Exception {
        FileSelection.ByName files = FileSelection.ByName.of(Map.of("name", "path"));
        UploadCallable send =
                new UploadCallable(files, AUTO, new ArrayList<>(), null, 9, 0, 0, 5, Double.NaN, 2, null, null, 1);
        DownloadCallable download = new DownloadCallable(1, 1, new ArrayList<>(), null, null, false, 1, 0);
        for (FileCallable<?> call : List.of(send, download)) {
            Thread.currentThread().interrupt();
            assertThrows(Exception.class, () -> call.invoke(new File("missing"), null));
            assertFalse(Thread.interrupted(), call.toString());
        }
    }

    private static Object deserialize(Object object, List<String> records) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(object);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())) {
            @Override
            protected Class<?> resolveClass(ObjectStreamClass description) throws IOException, ClassNotFoundException {
                Class<?> type = super.resolveClass(description);
                if (type.isRecord()) {
                    records.add(type.getName());
                }
                return type;
            }
        }) {
            return in.readObject();
        }
    }
}
