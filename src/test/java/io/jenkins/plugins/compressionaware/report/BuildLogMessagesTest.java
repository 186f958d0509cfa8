package io.jenkins.plugins.compressionaware.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecUsage;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.flow.Figures;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneReport;
import io.jenkins.plugins.compressionaware.engine.http.LaneFailure;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.receive.Receiver;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.engine.tar.ExtractionWarning;
import io.jenkins.plugins.compressionaware.report.StageTimes.Stage;
import io.jenkins.plugins.compressionaware.testing.EnglishLocale;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ExtendWith(EnglishLocale.class)
class BuildLogMessagesTest {
    private static final CodecLevel STORED = new CodecLevel(Codec.NONE, 0);
    private static final CodecLevel ZSTD = new CodecLevel(Codec.ZSTD, 3);

    private final ArrayList<CodecUsage> usages = new ArrayList<>();
    private TransferInfo transfer = transfer(TransferInfo.Operation.ARCHIVE, null, null);
    private boolean auto;
    private int files = 3;
    private int lanes = 1;
    private long channel = 500_000_000;
    private long direct;
    private long reused;
    private long stored;
    private int interruptions;
    private final long[] busy = new long[Stage.values().length];
    private int writers;
    private long cpu = -1;
    private long roundTrip;
    private int sharedProcessors;

    private static TransferInfo transfer(TransferInfo.Operation operation, String stash, String chosenBy) {
        return new TransferInfo(operation, "job", 1, "agent", stash, 3, chosenBy);
    }

    private void used(CodecLevel choice, long rawBytes) {
        usages.add(new CodecUsage(choice, 1, rawBytes, rawBytes / 2, usages.isEmpty() ? nanos(Stage.COMPRESSING) : 1));
    }

    private long nanos(Stage stage) {
        return busy[stage.ordinal()] * 1_000_000;
    }

    private TransferResult result() {
        DirectLaneReport report = direct == 0
                ? null
                : new DirectLaneReport(
                        "url", 3, direct, null, new LaneFailure[0], DirectLaneReport.Outcome.WORKED, 1, 0);
        long sending = Math.round((3.0 * direct + lanes * channel) / (direct + channel));
        SendReport sent = new SendReport(
                new Figures(files, 0, 0, 0, nanos(Stage.READING), nanos(Stage.LINK) * sending, 0, 0, cpu),
                usages,
                auto,
                null,
                1,
                report);
        ReceiveReport received = new ReceiveReport(
                new Figures(
                        files,
                        1_000_000_000,
                        1_000_000_000,
                        channel + direct,
                        0,
                        0,
                        nanos(Stage.DECODING) * Receiver.DECODERS,
                        nanos(Stage.WRITING),
                        cpu),
                List.of(),
                writers);
        return new TransferResult(
                new TransferResults.Ended(
                        transfer,
                        2000,
                        channel,
                        direct,
                        reused,
                        stored,
                        roundTrip,
                        sharedProcessors,
                        interruptions,
                        null),
                lanes,
                null,
                sent,
                received);
    }

    private String line() {
        return BuildLogMessages.completed(result());
    }

    @Test
    void lineEndsWithInterruptions() {
        used(ZSTD, 100);
        lanes = 4;
        interruptions = 1;
        assertTrue(line().endsWith("; zstd 3; 4 streams; interrupted once"), line());
        interruptions = 2;
        assertTrue(line().endsWith("; interrupted twice"), line());
        interruptions = 3;
        assertTrue(line().endsWith("; interrupted 3 times"), line());
    }

    @Test
    void lineHasAmountsCodecAndStreams() {
        used(ZSTD, 100);
        assertEquals("Artifacts: 3 files, 1.00 GB in 2.00 s (500 MB/s), 500 MB sent (50%); zstd 3", line());
        files = 1;
        lanes = 4;
        transfer = transfer(TransferInfo.Operation.ARCHIVE, null, "set by the job");
        assertEquals(
                "Artifacts: 1 file, 1.00 GB in 2.00 s (500 MB/s), 500 MB sent (50%); zstd 3 (set by the job); 4"
                        + " streams",
                line());
        files = 0;
        assertEquals("Artifacts: 0 files", line().substring(0, 18));
        files = 12_345;
        assertEquals("Artifacts: 12,345 files", line().substring(0, 23));
        reused = 900_000_000;
        assertTrue(line().contains("500 MB sent (50%), 900 MB reused from build 1; zstd 3"), line());
    }

    @Test
    void lineHasShareOfEachCodec() {
        used(ZSTD, 160);
        used(STORED, 836);
        used(CodecLevel.zstd(1), 4);
        auto = true;
        assertTrue(line().endsWith("(50%); auto: 84% uncompressed, 16% zstd 3"), line());
        transfer = transfer(TransferInfo.Operation.ARCHIVE, null, "set by the folder a");
        assertTrue(line().contains("; auto (set by the folder a): 84%"), line());
        usages.clear();
        used(new CodecLevel(Codec.GZIP, 6), 10);
        assertTrue(line().endsWith(": 100% gzip 6"), line());
        usages.clear();
        assertTrue(line().endsWith("auto (set by the folder a): no data"), line());
    }

    @Test
    void lineHasBytesOfEachPath() {
        used(STORED, 100);
        direct = 400_000_000;
        channel = 4_000_000;
        assertTrue(line().endsWith("404 MB sent (40%); none; direct HTTP 400 MB, agent connection 4.00 MB"), line());
        channel = 0;
        assertTrue(line().endsWith("400 MB sent (40%); none; direct HTTP 400 MB"), line());
    }

    /** Noise and its index are larger than the files. */
    @Test
    void storedSizeIsInLineRowAndTotals() {
        used(STORED, 1_000_000_000);
        assertEquals("", new TransferRow(result()).getStored());
        assertEquals(0, new TransferTotals(result()).packedBytes);
        stored = 180_000_000;
        assertEquals("180 MB (18%)", new TransferRow(result()).getStored());
        assertTrue(line().contains("; stored in 180 MB (18%);"), line());
        TransferTotals one = new TransferTotals(result());
        assertEquals(820_000_000, one.packedBytes);
        stored = 1_001_000_000;
        TransferTotals both = one.plus(new TransferTotals(result()));
        assertEquals(820_000_000, both.packedBytes);
    }

    @Test
    void germanLineHasGermanNumbers() {
        Locale.setDefault(Locale.GERMAN);
        used(ZSTD, 100);
        files = 2_156;
        assertEquals(
                "Artefakte: 2.156 Dateien, 1,00 GB in 2,00 s (500 MB/s), 500 MB gesendet (50\u00a0%); zstd 3", line());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "READING     | ARCHIVE | the agent's disk (reading, 833 MB/s)",
                "COMPRESSING | ARCHIVE | compression (833 MB/s)",
                "LINK        | ARCHIVE | the network (417 MB/s)",
                "DECODING    | ARCHIVE | decompression (833 MB/s)",
                "WRITING     | ARCHIVE | the controller's disk (writing, 833 MB/s)",
                "WRITING     | UNSTASH | the agent's disk (writing, 833 MB/s)",
                "DECODING    | FETCH   | decompression (833 MB/s)"
            })
    void busiestStageIsTheBottleneck(Stage stage, TransferInfo.Operation operation, String words) {
        transfer = transfer(operation, "x", null);
        busy[stage.ordinal()] = 1200;
        busy[(stage.ordinal() + 1) % busy.length] = 1100;
        used(ZSTD, 10);
        assertTrue(line().endsWith("; zstd 3; limited by " + words), line());
        busy[stage.ordinal()] = 999;
        busy[(stage.ordinal() + 1) % busy.length] = 998;
        usages.clear();
        used(ZSTD, 10);
        assertNull(result().bottleneck, "no stage was busy for half of the time");
        assertTrue(line().endsWith("; zstd 3"), line());
    }

    @Test
    void slowDiskBottleneckHasFilesPerSecond() {
        used(ZSTD, 10);
        files = 3_000;
        writers = 16;
        busy[Stage.WRITING.ordinal()] = 1_500;
        assertTrue(line().endsWith("; limited by the controller's disk (2,000 files/s, 16 at a time)"), line());
        assertTrue(result().diskBound);
        transfer = transfer(TransferInfo.Operation.UNSTASH, "classes", null);
        assertTrue(line().endsWith("; limited by the agent's disk (2,000 files/s, 16 at a time)"), line());
        writers = 0;
        assertTrue(line().endsWith("; limited by the agent's disk (writing, 667 MB/s)"), line());
        assertFalse(result().diskBound, "no file was slow");
    }

    /** Two streams with windows of 1 MiB and a round trip of 10 ms carry 210 MB/s. */
    @ParameterizedTest
    @CsvSource({"400, DISTANCE", "280, NETWORK"})
    void fullWindowsMakeDistanceTheBottleneck(int megabytes, Bottleneck limit) {
        used(ZSTD, 10);
        busy[Stage.LINK.ordinal()] = 2000;
        lanes = 2;
        roundTrip = 10_000_000;
        channel = megabytes * 1_000_000L;
        assertEquals(limit, result().bottleneck);
        boolean far = limit == Bottleneck.DISTANCE;
        assertTrue(
                line().endsWith(far ? "distance (200 MB/s at 2 streams); 2 streams" : "(140 MB/s); 2 streams"), line());
        channel = 4_000_000;
        direct = 400_000_000;
        assertEquals(Bottleneck.NETWORK, result().bottleneck, "direct requests have no window");
    }

    @Test
    void sharedProcessorsCanBeTheBottleneck() {
        used(ZSTD, 10);
        busy[Stage.LINK.ordinal()] = 2000;
        sharedProcessors = 2;
        cpu = 1_000_000_000;
        assertTrue(line().endsWith("; limited by the processors (agent and controller are on one machine)"), line());
        cpu = 900_000_000;
        assertEquals(Bottleneck.NETWORK, result().bottleneck);
        sharedProcessors = 0;
        cpu = 1_000_000_000;
        assertEquals(Bottleneck.NETWORK, result().bottleneck, "each end has its own processors");
    }

    @Test
    void lineNamesStash() {
        used(ZSTD, 100);
        transfer = transfer(TransferInfo.Operation.STASH, "classes", null);
        assertEquals("Stash classes: 3 files, ", line().substring(0, 24));
        transfer = transfer(TransferInfo.Operation.UNSTASH, "classes", null);
        assertEquals("Unstash classes: 3 files, ", line().substring(0, 26));
    }

    @Test
    void copiedAndExcludedFilesHaveTheirOwnLines() {
        assertEquals(
                "Artifacts: 1 file copied in 2.00 s (the workspace is on the controller)",
                BuildLogMessages.copiedOnController(1, 2_000_000_000L));
        assertEquals(
                "Artifacts: 2 files archived by Jenkins itself in 57 min 2 s (agent a is left out by the settings)",
                BuildLogMessages.archivedByCore(2, "a", 3_421_500_000_000L));
    }

    @Test
    void agentTextBecomesOneLine() {
        assertEquals("a b c", BuildLogMessages.oneLine("a\r\nb\u001bc"));
        assertEquals("a b c d", BuildLogMessages.oneLine("a\u0085b\u2028c\u202e\u2066d"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        en | SYMLINK_NOT_CREATED | 1 | denied | One symbolic link could not be created and is missing. It is a: denied
        en | SYMLINK_NOT_CREATED | 3 | denied | 3 symbolic links could not be created and are missing. The first is a: denied
        de | SYMLINK_NOT_CREATED | 3 | denied | 3 symbolische Links konnten nicht angelegt werden und fehlen. Der erste ist a: denied
        en | NAME_COLLISION    | 1 | ''     | One file overwrote another of this transfer: their names differ only in case (or Unicode form). It is a
        en | NAME_COLLISION    | 2 | ''     | 2 files overwrote others of this transfer: their names differ only in case (or Unicode form). The first is a
        de | NAME_COLLISION    | 1 | ''     | Eine Datei hat eine andere dieser Übertragung überschrieben: Ihre Namen unterscheiden sich nur in der Groß- und Kleinschreibung (oder der Unicode-Form). Es ist a
        en | ATTRIBUTES_NOT_SET | 1 | denied | The permissions or the time of one file could not be set. It is a: denied
        en | ATTRIBUTES_NOT_SET | 2 | denied | The permissions or the time of 2 files could not be set. The first is a: denied
        de | ATTRIBUTES_NOT_SET | 1 | denied | Die Berechtigungen oder die Zeit von einer Datei konnten nicht gesetzt werden. Es ist a: denied
        en | DIRECTORY_NOT_REPLACED   | 1 | ''     | One symbolic link was left out, because a non-empty folder is in its place. It is a
        de | DIRECTORY_NOT_REPLACED   | 2 | ''     | 2 symbolische Links wurden ausgelassen, weil an ihrer Stelle nicht leere Ordner sind. Der erste ist a
        """)
    void warningHasNumberAndFirstName(
            String language, ExtractionWarning.Type type, int count, String reason, String line) {
        Locale.setDefault(Locale.forLanguageTag(language));
        assertEquals(line, BuildLogMessages.completed(new ExtractionWarning(type, count, "a", reason)));
    }
}
