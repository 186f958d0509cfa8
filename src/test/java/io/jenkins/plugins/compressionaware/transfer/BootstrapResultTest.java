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

/** What an agent may say of how far it is, and what is left then. */
class BootstrapResultTest {
    /** Each takes five bytes of the names: two lengths and the letter. */
    private static final int NAME = 5;

    private static BootstrapResult answer(int done, boolean others) {
        byte[] bytes = ByteBuffer.allocate(BootstrapArchiveCallable.RESULT_LENGTH)
                .putInt(done)
                .put((byte) (others ? 1 : 0))
                .array();
        return BootstrapResult.of(bytes, 0);
    }

    private static FileSelection.ByName names() throws IOException {
        return FileSelection.ByName.of(Map.of("a", "a", "b", "b", "c", "c")).after(NAME);
    }

    @Test
    void whatIsLeftBeginsWhereItHasStopped() throws Exception {
        assertEquals(
                Map.of("c", "c"),
                answer(2 * NAME, false).remaining(names()).list(Path.of("/").toFile()));
        assertEquals(
                Map.of("b", "b", "c", "c"),
                answer(NAME, true).remaining(names()).list(Path.of("/").toFile()));
        assertNull(answer(3 * NAME, false).remaining(names()));
    }

    @Test
    void ofAStashNothingIsLeft() throws Exception {
        assertNull(answer(7, false).remaining(new FileSelection.ByPattern(null, null, true)));
    }

    /** It could answer so for ever. */
    @ParameterizedTest
    @ValueSource(ints = {NAME, NAME - 1, 0, -1, 3 * NAME + 1, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void oneThatDoesNotGoOnIsRefused(int done) {
        assertThrows(IOException.class, () -> answer(done, false).remaining(names()));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, BootstrapArchiveCallable.RESULT_LENGTH - 1, BootstrapArchiveCallable.RESULT_LENGTH + 1})
    void lengthThatNoAnswerHas(int length) {
        assertNull(BootstrapResult.of(new byte[length], 0));
    }

    /** Whatever bytes a frame has. */
    @Test
    void theEndOfAFrameIsNoAnswer() {
        byte[] bytes = new byte[BootstrapArchiveCallable.RESULT_LENGTH];
        assertNull(BootstrapResult.of(bytes, 1));
        bytes[BootstrapArchiveCallable.RESULT_LENGTH - 1] = 1;
        assertNotNull(BootstrapResult.of(bytes, 1));
    }

    @Test
    void namesTravelAsTheyAre() throws Exception {
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

    /** As a map they take 31 MB there and again on their way. */
    @Test
    void manyNamesAreShort() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(FileSelection.ByName.of(manyNames()));
        }
        assertTrue(bytes.size() < 3_000_000, bytes.size() + " bytes");
    }

    /** The map itself takes half of that. */
    @Test
    void manyNamesFitIntoASmallHeap() throws Exception {
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
