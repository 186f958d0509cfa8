package io.jenkins.plugins.compressionaware.engine.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.jenkins.plugins.compressionaware.testing.FakeStore;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reads several objects of a store as if they were one. */
@Timeout(30)
class ObjectReadersTest {
    private static final byte[] FIRST = FileTrees.noise(1000);
    private static final byte[] SECOND = FileTrees.noise(2000);

    @AutoClose
    private final FakeStore store = new FakeStore();

    private final List<String> signed = new ArrayList<>();

    ObjectReadersTest() throws IOException {}

    private SignedRequest sign(String key) {
        signed.add(key);
        return new SignedRequest(store.sign("GET", path(key), Map.of(), Duration.ofMinutes(1)));
    }

    private static String path(String key) {
        return "/bucket/" + key;
    }

    private ObjectReaders.Stored stored(String key, byte[] content) {
        return new ObjectReaders.Stored(key, content.length, store.put(path(key), content));
    }

    private static byte[] read(ObjectReaders objects, long from, long count) throws IOException {
        try (InputStream in = objects.open(from, count)) {
            return in.readAllBytes();
        }
    }

    @Test
    void eachObjectFollowsTheOneBefore() throws Exception {
        ObjectReaders objects = new ObjectReaders(this::sign, List.of(stored("a", FIRST), stored("b", SECOND)));
        assertArrayEquals(SECOND, read(objects, 1000, 2000));
        assertArrayEquals(Arrays.copyOfRange(FIRST, 10, 1000), read(objects, 10, 990));
        assertArrayEquals(Arrays.copyOfRange(SECOND, 5, 7), read(objects, 1005, 2));
        assertEquals(List.of("b", "a"), signed, "one signature serves all ranges of an object");
        assertFalse(objects.waitsForController());
        assertThrows(IllegalArgumentException.class, () -> objects.open(3000, 1));
    }

    @Test
    void answersAreCounted() throws Exception {
        ObjectReaders objects = new ObjectReaders(this::sign, List.of(stored("a", FIRST), stored("b", SECOND)));
        store.fail(request -> request.number() == 2 ? "503 SlowDown" : null);
        read(objects, 0, 1000);
        read(objects, 1000, 2000);
        Map<StoreFailure, Integer> expected = new HashMap<>(Map.of(StoreFailure.BUSY, 1));
        expected.put(null, 2);
        assertEquals(expected, objects.answers());
    }
}
