package io.jenkins.plugins.compressionaware.delta;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testkit.History;
import io.jenkins.plugins.compressionaware.testkit.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Builds that follow each other: what is archived is what was in the workspace, and little of it travels. */
class HistoryTest {
    private static final int BUILDS = 4;

    @TempDir
    Path tmp;

    private interface Change {
        void to(History history) throws IOException;
    }

    /** @return share of the last tar, of what it is without the build before */
    private double archive(long seed, int builds, Change change) throws IOException {
        Path workspace = Files.createDirectory(tmp.resolve("workspace"));
        History history = new History(workspace, seed);
        double share = 1;
        for (int build = 1; build <= builds; build++) {
            change.to(history);
            history.next();
            byte[] plain = Travel.pack(workspace, null);
            Path archive = tmp.resolve("archive" + build);
            Set<String> names = Trees.names(workspace).keySet();
            if (build == 1) {
                assertEquals(Set.of(), Travel.unpack(plain, archive, names, null));
                continue;
            }
            try (EarlierArchive earlier = Travel.opened(tmp.resolve("archive" + (build - 1)))) {
                byte[] tar = Travel.pack(workspace, Shortener.of(earlier.index().offer(Travel.SLOW)));
                assertEquals(Set.of(), Travel.unpack(tar, archive, names, earlier));
                assertTrue(
                        earlier.used() >= plain.length - tar.length - names.size() * 512L, "counts what it has spared");
                share = tar.length / (double) plain.length;
            }
            assertEquals(Optional.empty(), Trees.difference(workspace, archive, names));
        }
        return share;
    }

    @Test
    void fatJar() throws IOException {
        double share = archive(1, BUILDS, history -> history.fatJar(true));
        assertTrue(share < 0.06, "share " + share);
    }

    @Test
    void fatJarWithOtherTimes() throws IOException {
        double share = archive(1, BUILDS, history -> history.fatJar(false));
        // the headers of its members differ, and are short when compressed
        assertTrue(share < 0.15, "share " + share);
    }

    @Test
    void distribution() throws IOException {
        double share = archive(1, BUILDS, History::distribution);
        assertTrue(share < 0.1, "share " + share);
    }

    @Test
    void reports() throws IOException {
        double share = archive(1, BUILDS, History::reports);
        assertTrue(share < 0.5, "share " + share);
    }

    @Test
    void binary() throws IOException {
        double share = archive(1, BUILDS, History::binary);
        assertTrue(share < 0.15, "share " + share);
    }

    @Test
    void whatDoesNotRepeat() throws IOException {
        assertEquals(1, archive(1, BUILDS, History::tarGz));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void anyEdits(long seed) throws IOException {
        double share = archive(seed, 8, History::edits);
        assertTrue(share < 0.7, "share " + share);
    }
}
