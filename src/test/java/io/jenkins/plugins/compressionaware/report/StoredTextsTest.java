package io.jenkins.plugins.compressionaware.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecUsage;
import io.jenkins.plugins.compressionaware.engine.flow.Figures;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Core saves XML 1.1, which lacks a few characters. One of these would make {@code build.xml} or the totals unsavable. */
class StoredTextsTest {
    private static final String PAIR = "\uD83D\uDE00";

    static Stream<String> texts() {
        Stream<String> single = Stream.of(
                "a\0b",
                "\uFFFE",
                "a\uFFFFb",
                "a\uD83D",
                "\uDE00a",
                "\uDE00\uD83D",
                "a\u202E\u200Fb",
                "a\r\n\u0085\u2028b");
        // a pair at each place where a text may be cut
        Stream<String> cut = IntStream.of(120, 300, 1000)
                .boxed()
                .flatMap(limit -> IntStream.range(limit - 12, limit + 2)
                        .mapToObj(length -> "x".repeat(length) + PAIR + "y".repeat(9)));
        return Stream.of(single, cut, Stream.of((PAIR + "\0").repeat(3_500_000)))
                .flatMap(texts -> texts);
    }

    /** Fills every text of a transfer. */
    private static TransferInfo transfer(String text) throws Exception {
        RecordComponent[] components = TransferInfo.class.getRecordComponents();
        Object[] values = Stream.of(components)
                .map(component -> component.getType() == String.class
                        ? text
                        : component.getType() == int.class ? 1 : TransferInfo.Operation.STASH)
                .toArray();
        Class<?>[] types = Stream.of(components).map(RecordComponent::getType).toArray(Class[]::new);
        return TransferInfo.class.getDeclaredConstructor(types).newInstance(values);
    }

    @ParameterizedTest
    @MethodSource("texts")
    void everySavedTextIsStorableAndShort(String text) throws Exception {
        TransferInfo transfer = transfer(text);
        List<CodecUsage> zstd = List.of(new CodecUsage(CodecLevel.zstd(3), 1, 1, 1, 1));
        SendReport sent =
                new SendReport(new Figures(1, 1, 0, 1, 1, 1, 0, 0, 1), new ArrayList<>(zstd), true, text, 1, null);
        TransferResult completed =
                TransferResults.completed(transfer, 1, 1, 0, 1, sent, ReceiveReport.of(Figures.counts(1, 1, 1, 1, 1)));
        TransferResult failed = TransferResults.failed(transfer, 1, 1, new IOException("x" + text), text);
        BuildTransfersAction build = new BuildTransfersAction();
        build.add(completed);
        build.add(failed);
        RollingTotals totals = new RollingTotals();
        totals.add(transfer.agent(), transfer.job(), 1, new TransferTotals(failed), 1);

        Map<String, String> saved = new TreeMap<>();
        collect("build", build, saved);
        collect("totals", totals, saved);
        saved.forEach((place, value) -> {
            assertTrue(value.codePoints().allMatch(StoredTextsTest::isStorable), place);
            assertTrue(value.length() <= 1000, place);
            boolean isOneLine = value.codePoints().noneMatch(StoredTextsTest::breaksLines);
            // a job is found by its name
            assertTrue(isOneLine || place.matches("totals\\.week\\.0\\.(jobs|failed)\\.key"), place);
        });
        // a text that is not listed here would not be filled above
        assertEquals(
                List.of("agent", "chosenBy", "codec", "failure", "label", "store", "unavailableCodecs"),
                Stream.of(TransferResult.class, CodecShare.class, StageTimes.class, TransferTotals.class)
                        .flatMap(type -> Arrays.stream(type.getDeclaredFields()))
                        .filter(field -> field.getType() == String.class && !Modifier.isStatic(field.getModifiers()))
                        .map(Field::getName)
                        .sorted()
                        .toList());
        assertTrue(saved.containsKey("totals.week.0.agents.key") && saved.containsKey("totals.week.0.jobs.key"));
    }

    private static boolean isStorable(int c) {
        return c != 0 && c != 0xFFFE && c != 0xFFFF && (c < 0xD800 || c > 0xDFFF);
    }

    private static boolean breaksLines(int c) {
        int type = Character.getType(c);
        return type == Character.CONTROL || type == Character.FORMAT || c == 0x2028 || c == 0x2029;
    }

    /** Collects all texts that XStream would save, by their place. */
    private static void collect(String place, Object value, Map<String, String> texts) throws Exception {
        if (value instanceof String text) {
            texts.put(place, text);
        } else if (value instanceof Collection<?> all) {
            int i = 0;
            for (Object each : all) {
                collect(place + "." + i++, each, texts);
            }
        } else if (value instanceof Map<?, ?> map) {
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                collect(place + ".key", entry.getKey(), texts);
                collect(place + ".value", entry.getValue(), texts);
            }
        } else if (value != null
                && !(value instanceof Enum)
                && value.getClass().getName().startsWith("io.jenkins.")) {
            for (Field field : value.getClass().getDeclaredFields()) {
                if ((field.getModifiers() & (Modifier.STATIC | Modifier.TRANSIENT)) == 0) {
                    field.setAccessible(true);
                    collect(place + "." + field.getName(), field.get(value), texts);
                }
            }
        }
    }
}
