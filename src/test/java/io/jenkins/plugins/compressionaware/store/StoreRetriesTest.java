package io.jenkins.plugins.compressionaware.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import io.jenkins.plugins.compressionaware.engine.store.ObjectReader;
import io.jenkins.plugins.compressionaware.testing.FakeStore;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests to a store that fail once, or always. */
class StoreRetriesTest extends UploadTestBase {
    /** The requests that the controller sends. */
    private static final List<String> OF_CONTROLLER = List.of(
            "DELETE uploadId",
            "GET list-type&prefix",
            "GET prefix&uploads",
            "HEAD ",
            "POST delete",
            "POST uploadId",
            "POST uploads");

    /** The signed requests. If the store is busy, an agent repeats them for a minute. */
    private static final List<String> OF_AGENT = List.of("GET ", "PUT ", "PUT partNumber&uploadId");

    StoreRetriesTest() throws IOException {}

    /** Returns a text that differs for requests of different kinds. */
    private static String kind(FakeStore.Request request) {
        String query = new TreeSet<>(request.query().keySet())
                .stream().filter(name -> !name.matches("(?i)x-.*")).collect(Collectors.joining("&"));
        return request.method() + ' ' + query;
    }

    /** Returns a fault for a request; the response to HEAD has no body, so no code. */
    private static String fault(String fault, FakeStore.Request request) {
        return request.method().equals("HEAD") ? fault.split(" ")[0] : fault;
    }

    private List<String> keys() throws IOException {
        List<String> keys = new ArrayList<>();
        store.list("jobs/", (key, time) -> keys.add(key));
        return keys;
    }

    /** Sends requests of all kinds, for an object that is stored by one request, and for one in parts. */
    private void useAll() throws Exception {
        for (int bytes : new int[] {1000, 9_000_000}) {
            try (UploadSession session = session(Set.of("a"))) {
                StoredRecord record = store(session, bytes);
                String path = "/bucket/" + record.key();
                assertNotNull(server.object(path));
                store.check(record.key(), record.length(), record.tag());
                ObjectReader reader =
                        new ObjectReader(() -> store.signGet(record.key(), VALID, null), record.length(), record.tag());
                try (InputStream in = reader.open(0, record.length())) {
                    assertArrayEquals(server.object(path), in.readAllBytes());
                }
                List<String> keys = keys();
                assertEquals(List.of(record.key()), keys);
                store.create(record.key(), "text/plain");
                store.abort(record.key());
                assertEquals(0, server.uploads());
                store.delete(keys);
                assertNull(server.object(path));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"503 SlowDown", "500 InternalError", "429 TooManyRequests", FakeStore.RESET})
    void eachRequestIsRepeated(String fault) throws Exception {
        Set<String> failed = ConcurrentHashMap.newKeySet();
        server.fail(request -> failed.add(kind(request)) ? fault(fault, request) : null);
        useAll();
        Set<String> all = new TreeSet<>(OF_CONTROLLER);
        all.addAll(OF_AGENT);
        assertEquals(all, new TreeSet<>(failed));
    }

    private static Stream<Arguments> lastingFaults() {
        Stream<Arguments> refused = Stream.of("403 AccessDenied", "404 NoSuchKey", "412 PreconditionFailed")
                .flatMap(fault -> Stream.concat(OF_CONTROLLER.stream(), OF_AGENT.stream())
                        .map(kind -> Arguments.of(fault, kind)));
        Stream<Arguments> broken = Stream.of("429 TooManyRequests", "503 SlowDown", FakeStore.RESET)
                .flatMap(fault -> OF_CONTROLLER.stream().map(kind -> Arguments.of(fault, kind)));
        return Stream.concat(refused, broken);
    }

    @ParameterizedTest
    @MethodSource("lastingFaults")
    void lastingFailureIsNamedAndLeavesNothing(String fault, String kind) throws Exception {
        server.fail(request -> kind(request).equals(kind) ? fault(fault, request) : null);
        String message = assertThrows(IOException.class, this::useAll).getMessage();
        boolean isMissing = fault.startsWith("404") && kind.equals("HEAD ");
        String reason = isMissing ? "did not store" : fault.equals(FakeStore.RESET) ? "Cannot " : fault.substring(0, 3);
        assertTrue(message.contains(reason) && message.contains("jobs/"), message);
        assertEquals(1, message.lines().count(), message);
        assertFalse(message.matches(".*(X-Amz-|Signature=).*"), message);
        server.fail(request -> null);
        cleanLater();
        assertEquals(List.of(), keys());
        assertEquals(0, server.uploads());
        assertEquals(0, entries());
    }

    /** Deletes what was to be deleted in the next hour. */
    private void cleanLater() throws IOException {
        Path lists = tmp.resolve("journal");
        for (String list : FileTrees.list(lists)) {
            FileTime time = Files.getLastModifiedTime(lists.resolve(list));
            Files.setLastModifiedTime(
                    lists.resolve(list), FileTime.from(time.toInstant().minus(Duration.ofHours(1))));
        }
        journal.clean();
    }
}
