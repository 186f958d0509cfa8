package io.jenkins.plugins.compressionaware.engine.delta;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.tar.EntryDecoder;
import io.jenkins.plugins.compressionaware.engine.tar.EntryEncoder;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.History;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import org.apache.commons.compress.archivers.zip.Zip64Mode;
import org.apache.commons.compress.archivers.zip.ZipArchiveEntry;
import org.apache.commons.compress.archivers.zip.ZipArchiveOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
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
            byte[] plain = DeltaRoundTrip.pack(workspace, EntryEncoder.NONE);
            Path archive = tmp.resolve("archive" + build);
            Set<String> names = FileTrees.names(workspace).keySet();
            if (build == 1) {
                assertEquals(Set.of(), DeltaRoundTrip.unpack(plain, archive, names, EntryDecoder.NONE));
                continue;
            }
            try (ReferenceArchive earlier = DeltaRoundTrip.opened(tmp.resolve("archive" + (build - 1)))) {
                byte[] tar = DeltaRoundTrip.pack(
                        workspace, DeltaEncoder.of(earlier.index().signature(DeltaRoundTrip.SLOW)));
                assertEquals(Set.of(), DeltaRoundTrip.unpack(tar, archive, names, earlier));
                assertTrue(
                        earlier.reusedBytes() >= plain.length - tar.length - names.size() * 512L,
                        "counts what it has spared");
                share = tar.length / (double) plain.length;
            }
            assertEquals(Optional.empty(), FileTrees.difference(workspace, archive, names));
        }
        return share;
    }

    private enum Kind {
        FAT_JAR(0.06, history -> history.fatJar(true)),
        /** The headers of its members differ, and are short when compressed. */
        FAT_JAR_WITH_OTHER_TIMES(0.15, history -> history.fatJar(false)),
        DISTRIBUTION(0.1, History::distribution),
        REPORTS(0.5, History::reports),
        BINARY(0.15, History::binary);

        private final double most;
        private final Change change;

        Kind(double most, Change change) {
            this.most = most;
            this.change = change;
        }
    }

    @ParameterizedTest
    @EnumSource
    void littleOfWhatRepeatsTravels(Kind kind) throws IOException {
        double share = archive(1, BUILDS, kind.change);
        assertTrue(share < kind.most, "share " + share);
    }

    @Test
    void whatDoesNotRepeat() throws IOException {
        assertEquals(1, archive(1, BUILDS, History::tarGz));
    }

    private enum Odd {
        /** Cut by content, where another time in each header would change most pieces. */
        ZIP64(0.3),
        /** As other members. */
        ENCRYPTED(0.2),
        /** Lengths stand behind the members. */
        DESCRIPTORS(0.2),
        /** Each name twice. */
        DUPLICATES(0.2),
        /** Bytes in front, as of a program that unpacks itself, and a comment behind: cut by content. */
        SURROUNDED(0.3),
        /** The central directory is overwritten: cut by content. */
        DAMAGED(0.3);

        final double most;

        Odd(double most) {
            this.most = most;
        }

        byte[] zip(int build) throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            bytes.write(this == SURROUNDED ? History.noise(9, 3000) : new byte[0]);
            try (ZipArchiveOutputStream zip = new ZipArchiveOutputStream(bytes)) {
                zip.setUseZip64(this == ZIP64 ? Zip64Mode.Always : Zip64Mode.Never);
                zip.setComment(this == SURROUNDED ? "build " + build : "");
                for (int i = 0; i < 60; i++) {
                    byte[] member = History.noise(i == 7 ? 100 + build : i, 20_000 + 100 * i);
                    ZipArchiveEntry entry = new ZipArchiveEntry("member" + (this == DUPLICATES ? i / 2 : i));
                    entry.setTime(1_700_000_000_000L + (most > 0.2 ? 0 : 2000L * build));
                    if (this == DESCRIPTORS) {
                        entry.setMethod(ZipEntry.DEFLATED);
                    } else {
                        CRC32 crc = new CRC32();
                        crc.update(member);
                        entry.setMethod(ZipEntry.STORED);
                        entry.setSize(member.length);
                        entry.setCrc(crc.getValue());
                    }
                    zip.putArchiveEntry(entry);
                    zip.write(member);
                    zip.closeArchiveEntry();
                }
            }
            return damaged(bytes.toByteArray());
        }

        private byte[] damaged(byte[] zip) {
            for (int i = 0; i < zip.length - 10; i++) {
                boolean local = zip[i] == 'P' && zip[i + 1] == 'K' && zip[i + 2] == 3 && zip[i + 3] == 4;
                boolean central = zip[i] == 'P' && zip[i + 1] == 'K' && zip[i + 2] == 1 && zip[i + 3] == 2;
                if (this == ENCRYPTED && (local || central)) {
                    zip[i + (local ? 6 : 8)] |= 1;
                } else if (this == DAMAGED && central) {
                    zip[i] = 0;
                }
            }
            return zip;
        }
    }

    @ParameterizedTest
    @EnumSource(Odd.class)
    void oddZips(Odd odd) throws IOException {
        int[] build = new int[1];
        double share =
                archive(1, BUILDS, history -> Files.write(tmp.resolve("workspace/odd.zip"), odd.zip(build[0]++)));
        assertTrue(share < odd.most, "share " + share);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void anyEdits(long seed) throws IOException {
        double share = archive(seed, 8, History::edits);
        assertTrue(share < 0.7, "share " + share);
    }
}
