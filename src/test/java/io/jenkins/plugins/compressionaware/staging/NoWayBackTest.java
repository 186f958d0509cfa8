package io.jenkins.plugins.compressionaware.staging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testkit.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is told and kept where a step of a commit can be neither done nor undone. */
@Timeout(60)
class NoWayBackTest extends IntoAnArchive {
    @Test
    void interruptAndNoWayBack() {
        boolean[] interrupted = {false};
        BrokenDisk disk = new BrokenDisk((from, to) -> {
            boolean broken = to.startsWith(archiveReal()) && to.endsWith("d/replaced");
            if (broken && !interrupted[0]) {
                interrupted[0] = true;
                Thread.currentThread().interrupt();
            }
            return broken;
        });
        disk.links = false;
        IOException failure = assertThrows(IOException.class, () -> commit(disk));
        assertTrue(Thread.interrupted(), "the interrupt is kept for the caller");
        assertTrue(failure.getMessage().startsWith("Interrupted. Is missing now: d/replaced. "), failure.getMessage());
        assertInstanceOf(InterruptedException.class, failure.getCause());
    }

    @Test
    void saysWhatHasArrivedWhenThereIsNoWayBack() throws Exception {
        boolean[] back = {false};
        BrokenDisk disk = new BrokenDisk((from, to) -> {
            back[0] |= to.toString().endsWith("-replaced");
            return to.toString().endsWith("-replaced")
                    || back[0] && (from.endsWith("new link") || to.endsWith("d/replaced"));
        });
        disk.links = false;
        IOException failure = assertThrows(IOException.class, () -> commit(disk));
        Path kept = onlyOther();
        assertTrue(kept.getFileName().toString().endsWith("-kept"), kept.toString());
        String message = failure.getMessage();
        assertTrue(message.contains("Has arrived and cannot be taken back: "), message);
        assertTrue(message.contains("new link"), message);
        assertTrue(message.contains("d/replaced"), message);
        assertTrue(
                message.endsWith(" Earlier copies are in " + kept + ". All else is as it was before this step."),
                message);
        assertEquals("one", Files.readString(kept.resolve("d/replaced")));
        Map<String, String> expected = new TreeMap<>(earlier);
        Map<String, String> found = Trees.describe(archive);
        for (String name : List.of("new link", "d/replaced")) {
            expected.remove(name);
            assertTrue(found.remove(name) != null, name);
        }
        assertEquals(expected, found);
        Leftovers.remove(archive);
        assertTrue(Files.exists(kept), "nothing removes it");
    }

    @Test
    void saysWhatIsMissingWhenThereIsNoWayBack() throws Exception {
        BrokenDisk disk = new BrokenDisk((from, to) -> to.startsWith(archiveReal()) && to.endsWith("d/replaced"));
        disk.links = false;
        IOException failure = assertThrows(IOException.class, () -> commit(disk));
        Path kept = onlyOther();
        // the rename aside went well, neither of the two could come
        assertEquals("one", Files.readString(kept.resolve("d/replaced")));
        assertTrue(
                failure.getMessage()
                        .endsWith(" Is missing now: d/replaced. Earlier copies are in " + kept
                                + ". All else is as it was before this step."),
                failure.getMessage());
    }

    @Test
    void whatNeverLeftNeedNotComeBack() throws Exception {
        BrokenDisk disk = new BrokenDisk((from, to) -> to.startsWith(archiveReal()) && to.endsWith("d/replaced"));
        IOException failure = assertThrows(IOException.class, () -> commit(disk));
        assertTrue(failure.getMessage().endsWith("as it was before this step."), failure.getMessage());
        assertEquals(earlier, Trees.describe(archive));
        assertOnlyTheArchive();
    }

    private Path onlyOther() throws IOException {
        List<String> names = list(build);
        assertEquals(2, names.size(), names.toString());
        return build.toRealPath().resolve(names.get(0));
    }
}
