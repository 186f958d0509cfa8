package io.jenkins.plugins.compressionaware.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.agent.BootstrapArchiveCallable;
import io.jenkins.plugins.compressionaware.agent.FileSelection;
import io.jenkins.plugins.compressionaware.testing.Jvm;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Parsing and validation of the result of a bootstrap call. */
class BootstrapResultTest {
    /** Bytes of a name in the list: two lengths and one letter. */
    private static final int NAME = 5;

    private static BootstrapResult result(int done, boolean needsEngine) {
        byte[] bytes = ByteBuffer.allocate(BootstrapArchiveCallable.RESULT_LENGTH)
                .putInt(done)
                .put((byte) (needsEngine ? 1 : 0))
                .array();
        return BootstrapResult.of(bytes, 0);
    }

    private static FileSelection.ByName names() throws IOException {
        return FileSelection.ByName.of(Map.of("a", "a", "b", "b", "c", "c")).after(NAME);
    }

    @Test
    void remainingFilesStartAtNamesOffset() throws Exception {
        assertEquals(
                Map.of("c", "c"),
                result(2 * NAME, false).remaining(names()).list(Path.of("/").toFile()));
        assertEquals(
                Map.of("b", "b", "c", "c"),
                result(NAME, true).remaining(names()).list(Path.of("/").toFile()));
        assertNull(result(3 * NAME, false).remaining(names()));
    }

    @Test
    void stashLeavesNoRemainingFiles() throws Exception {
        assertNull(result(7, false).remaining(new FileSelection.ByPattern(null, null, true)));
    }

    /** An agent could return such results forever. */
    @ParameterizedTest
    @ValueSource(ints = {NAME, NAME - 1, 0, -1, 3 * NAME + 1, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void resultWithoutProgressIsRejected(int done) {
        assertThrows(IOException.class, () -> result(done, false).remaining(names()));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, BootstrapArchiveCallable.RESULT_LENGTH - 1, BootstrapArchiveCallable.RESULT_LENGTH + 1})
    void otherLengthIsNoResult(int length) {
        assertNull(BootstrapResult.of(new byte[length], 0));
    }

    /** Frames can contain any bytes. */
    @Test
    void endOfFrameIsNoResult() {
        byte[] bytes = new byte[BootstrapArchiveCallable.RESULT_LENGTH];
        assertNull(BootstrapResult.of(bytes, 1));
        bytes[BootstrapArchiveCallable.RESULT_LENGTH - 1] = 1;
        assertNotNull(BootstrapResult.of(bytes, 1));
    }

    @Test
    void unusualNamesAreKept() throws Exception {
        Map<String, String> files = new TreeMap<>(
                Map.of("\u00e4", "b", "half a character \ud83d", "x", "a\0b", "a\0b", "same", "same", "empty", "x/y"));
        assertEquals(files, FileSelection.ByName.of(files).list(Path.of("/").toFile()));
    }

    private static Map<String, String> manyNames() {
        Map<String, String> files = new HashMap<>();
        for (int i = 0; i < 300_000; i++) {
            String name = "build/reports/some/where/in/a/tree/of/folders/" + "x".repeat(40) + "/" + i + ".html";
            files.put(name, name);
        }
        return files;
    }

    /** As a map, the names would take 31 MB. */
    @Test
    void manyNamesAreSerializedCompactly() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(FileSelection.ByName.of(manyNames()));
        }
        assertTrue(bytes.size() < 3_000_000, bytes.size() + " bytes");
    }

    /** The map of the names takes half of this heap. */
    @Test
    void manyNamesFitIntoSmallHeap() throws Exception {
        Jvm.run(List.of("-Xmx128m"), System.getProperty("java.class.path"), ManyNames.class);
    }

    static final class ManyNames {
        public static void main(String[] arguments) throws IOException {
            Map<String, String> files = manyNames();
            try (ObjectOutputStream out = new ObjectOutputStream(new ByteArrayOutputStream())) {
                out.writeObject(FileSelection.ByName.of(files));
            }
            System.out.println(files.size());
        }
    }
}
