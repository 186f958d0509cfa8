package io.jenkins.plugins.compressionaware.engine.delta;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.tar.EntryDecoder;
import io.jenkins.plugins.compressionaware.engine.tar.EntryEncoder;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.History;
import io.jenkins.plugins.compressionaware.testing.RecordedTar;
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

/** Archives a sequence of builds: each archive equals its workspace, and repeated content is reused. */
class HistoryTest {
    private static final int BUILDS = 4;

    @TempDir
    Path tmp;

    private interface Change {
        void to(History history) throws IOException;
    }

    /** @return length of the last tar divided by its length without a reference build */
    private double archive(long seed, int builds, Change change) throws IOException {
        Path workspace = Files.createDirectory(tmp.resolve("workspace"));
        History history = new History(workspace, seed);
        double share = 1;
        for (int build = 1; build <= builds; build++) {
            change.to(history);
            history.next();
            byte[] plain = RecordedTar.of(workspace, FileTrees.names(workspace), EntryEncoder.NONE);
            Path archive = tmp.resolve("archive" + build);
            Set<String> names = FileTrees.names(workspace).keySet();
            if (build == 1) {
                assertEquals(Set.of(), DeltaRoundTrip.unpack(plain, archive, names, EntryDecoder.NONE));
                continue;
            }
            try (ReferenceArchive reference = DeltaRoundTrip.opened(tmp.resolve("archive" + (build - 1)))) {
                byte[] tar = RecordedTar.of(workspace, FileTrees.names(workspace), DeltaRoundTrip.encoder(reference));
                assertEquals(Set.of(), DeltaRoundTrip.unpack(tar, archive, names, reference));
                assertTrue(
                        reference.reusedBytes() >= plain.length - tar.length - names.size() * 512L,
                        "counts reused bytes");
                share = tar.length / (double) plain.length;
            }
            assertEquals(Optional.empty(), FileTrees.difference(workspace, archive, names));
        }
        return share;
    }

    private enum Content {
        FAT_JAR(0.06, history -> history.fatJar(true)),
        /** The times in the headers of its entries differ. */
        FAT_JAR_WITH_OTHER_TIMES(0.15, history -> history.fatJar(false)),
        DISTRIBUTION(0.1, History::distribution),
        REPORTS(0.5, History::reports),
        BINARY(0.15, History::binary);

        private final double maxShare;
        private final Change change;

        Content(double maxShare, Change change) {
            this.maxShare = maxShare;
            this.change = change;
        }
    }

    @ParameterizedTest
    @EnumSource
    void repeatedContentIsReused(Content content) throws IOException {
        double share = archive(1, BUILDS, content.change);
        assertTrue(share < content.maxShare, "share " + share);
    }

    @Test
    void compressedTarIsSentInFull() throws IOException {
        assertEquals(1, archive(1, BUILDS, History::tarGz));
    }

    private enum UnusualZip {
        /** Cut by content, and different times in the headers change most chunks. */
        ZIP64(0.3),
        /** Its entries are found like others. */
        ENCRYPTED(0.2),
        /** The lengths of entries are after their content. */
        DESCRIPTORS(0.2),
        /** Each name occurs twice. */
        DUPLICATES(0.2),
        /** Surrounded by other bytes and a comment, like a self-extracting file: cut by content. */
        SURROUNDED(0.3),
        /** The central directory is overwritten, so the file is cut by content. */
        DAMAGED(0.3);

        final double maxShare;

        UnusualZip(double maxShare) {
            this.maxShare = maxShare;
        }

        byte[] zip(int build) throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            bytes.write(this == SURROUNDED ? History.noise(9, 3000) : new byte[0]);
            try (ZipArchiveOutputStream zip = new ZipArchiveOutputStream(bytes)) {
                zip.setUseZip64(this == ZIP64 ? Zip64Mode.Always : Zip64Mode.Never);
                zip.setComment(this == SURROUNDED ? "build " + build : "");
                for (int i = 0; i < 60; i++) {
                    byte[] entryContent = History.noise(i == 7 ? 100 + build : i, 20_000 + 100 * i);
                    ZipArchiveEntry entry = new ZipArchiveEntry("entry" + (this == DUPLICATES ? i / 2 : i));
                    entry.setTime(1_700_000_000_000L + (maxShare > 0.2 ? 0 : 2000L * build));
                    if (this == DESCRIPTORS) {
                        entry.setMethod(ZipEntry.DEFLATED);
                    } else {
                        CRC32 crc = new CRC32();
                        crc.update(entryContent);
                        entry.setMethod(ZipEntry.STORED);
                        entry.setSize(entryContent.length);
                        entry.setCrc(crc.getValue());
                    }
                    zip.putArchiveEntry(entry);
                    zip.write(entryContent);
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
    @EnumSource(UnusualZip.class)
    void unusualZipsAreReused(UnusualZip zip) throws IOException {
        int[] build = new int[1];
        double share =
                archive(1, BUILDS, history -> Files.write(tmp.resolve("workspace/zip.zip"), zip.zip(build[0]++)));
        assertTrue(share < zip.maxShare, "share " + share);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void editedFilesAreReused(long seed) throws IOException {
        double share = archive(seed, 8, History::edits);
        assertTrue(share < 0.7, "share " + share);
    }
}
