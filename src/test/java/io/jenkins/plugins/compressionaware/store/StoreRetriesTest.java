package io.jenkins.plugins.compressionaware.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import io.jenkins.plugins.compressionaware.engine.store.ObjectReader;
import io.jenkins.plugins.compressionaware.testing.FakeStore;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests to a store that fail once. */
class StoreRetriesTest extends UploadTestBase {
    StoreRetriesTest() throws IOException {}

    /** Returns a text that differs for requests of different kinds. */
    private static String kind(FakeStore.Request request) {
        String query = new TreeSet<>(request.query().keySet())
                .stream().filter(name -> !name.matches("(?i)x-.*")).collect(Collectors.joining("&"));
        return request.method() + ' ' + query;
    }

    @ParameterizedTest
    @ValueSource(strings = {"503 SlowDown", "500 InternalError", FakeStore.RESET})
    void eachRequestIsRepeated(String fault) throws Exception {
        Set<String> failed = ConcurrentHashMap.newKeySet();
        server.fail(request -> {
            // the response to HEAD has no body, so no code
            String response = request.method().equals("HEAD") ? fault.split(" ")[0] : fault;
            return failed.add(kind(request)) ? response : null;
        });
        StoredRecord record = store(9_000_000);
        String path = "/bucket/" + record.key();
        assertNotNull(server.object(path));
        store.check(record.key(), record.length(), record.tag());
        ObjectReader reader =
                new ObjectReader(() -> store.signGet(record.key(), VALID, null), record.length(), record.tag());
        try (InputStream in = reader.open(0, record.length())) {
            assertArrayEquals(server.object(path), in.readAllBytes());
        }
        List<String> keys = new ArrayList<>();
        store.list("jobs/", (key, time) -> keys.add(key));
        assertEquals(List.of(record.key()), keys);
        store.abort(record.key());
        store.delete(keys);
        assertNull(server.object(path));
        assertEquals(
                List.of(
                        "GET ",
                        "GET list-type&prefix",
                        "GET prefix&uploads",
                        "HEAD ",
                        "POST delete",
                        "POST uploadId",
                        "POST uploads",
                        "PUT partNumber&uploadId"),
                List.copyOf(new TreeSet<>(failed)));
    }
}
