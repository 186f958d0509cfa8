package io.jenkins.plugins.compressionaware.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.CompressionAwareArtifactManagerFactory;
import io.jenkins.plugins.compressionaware.docs.Page;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.send.CompressionMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.kohsuke.stapler.DataBoundSetter;

/** Who may decide about each setting. Compares the table of administrators.md with the code, or writes it with {@code -Dlevels.write}. */
class WhoDecidesTest {
    private static final Set<String> FORMER_NAMES = Set.of("delta", "directLane", "maxLanes");

    private static final Path FILE = Path.of("docs/administrators.md");
    private static final String BEGIN = "<!-- levels -->\n";
    private static final String END = "<!-- end of levels -->";
    private static final List<Boolean> LOCK = List.of(false, true);

    /** Reuse, codec and level, as a level of the settings has them; null if inherited. */
    private record Values(
            @CheckForNull String reuse,
            @CheckForNull String codec,
            @CheckForNull Integer level) {}

    private static TransferSettings resolve(Values system, Values folder, Values step, boolean locked) {
        CompressionAwareArtifactManagerFactory global = new CompressionAwareArtifactManagerFactory();
        global.setReuse(Objects.requireNonNullElse(system.reuse, "auto"));
        global.setCodec(Objects.requireNonNullElse(system.codec, "auto"));
        TransferOverride choice = of(step).inheritFrom(of(folder));
        // as EffectiveSettings does
        return global.settings().with(locked ? choice.locked() : choice);
    }

    private static TransferOverride of(Values values) {
        return new TransferOverride(values.codec, values.level, values.reuse, null, null);
    }

    private static List<Values> reuses() {
        return Stream.of(null, "auto", "off")
                .map(reuse -> new Values(reuse, null, null))
                .toList();
    }

    /** An inner level can only forbid. */
    @Test
    void offOfAnyLevelWins() {
        for (Values system : reuses()) {
            for (Values folder : reuses()) {
                for (Values step : reuses()) {
                    boolean off = Stream.of(system, folder, step).anyMatch(values -> "off".equals(values.reuse));
                    for (boolean locked : LOCK) {
                        assertEquals(
                                !off,
                                resolve(system, folder, step, locked).reuse(),
                                system + ", " + folder + ", " + step + ", locked: " + locked);
                    }
                }
            }
        }
    }

    @Test
    void innermostCodecWinsUnlessLocked() {
        List<Values> choices = Stream.of(null, "gzip", "zstd")
                .map(codec -> new Values(null, codec, codec == null ? null : 7))
                .toList();
        for (Values system : choices) {
            for (Values folder : choices) {
                for (Values step : choices) {
                    String innermost = Stream.of(step, folder, system)
                            .map(Values::codec)
                            .filter(Objects::nonNull)
                            .findFirst()
                            .orElse("auto");
                    String outermost = Objects.requireNonNullElse(system.codec, "auto");
                    assertEquals(innermost, resolve(system, folder, step, false).codec());
                    assertEquals(outermost, resolve(system, folder, step, true).codec());
                    assertEquals(
                            step.codec != null || folder.codec != null,
                            resolve(system, folder, step, false).level() == 7);
                }
            }
        }
    }

    /** The system setting is gzip 9. */
    @ParameterizedTest
    @CsvSource({
        "zstd, 7, , , zstd, 7",
        "zstd, 7, , 2, zstd, 2",
        "zstd, 7, gzip, , gzip, 6",
        ", , , , gzip, 9",
        ", , gzip, , gzip, 6",
        ", , zstd, , zstd, 3",
        ", , none, , none, 0"
    })
    void levelIsInheritedOnlyWithItsCodec(
            String folderCodec, Integer folderLevel, String codec, Integer level, String usedCodec, int usedLevel) {
        CompressionAwareArtifactManagerFactory global = new CompressionAwareArtifactManagerFactory();
        global.setCodec("gzip");
        global.setLevel(9);
        TransferOverride folder = TransferOverride.unchecked(folderCodec, folderLevel);
        TransferSettings used =
                global.settings().with(TransferOverride.unchecked(codec, level).inheritFrom(folder));
        assertEquals(usedCodec + " " + usedLevel, used.codec() + " " + used.level());
    }

    @Test
    void innermostStorageWinsUnlessLocked() {
        for (String folder : new String[] {null, "files", "packed"}) {
            for (String job : new String[] {null, "files", "packed"}) {
                CompressionAwareArtifactManagerFactory global = new CompressionAwareArtifactManagerFactory();
                global.setStorage("packed");
                TransferOverride choice = new TransferOverride(null, null, null, job, null)
                        .inheritFrom(new TransferOverride(null, null, null, folder, null));
                String innermost = Stream.of(job, folder)
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElse("packed");
                assertEquals(
                        innermost.equals("packed"), isPacked(global.settings().with(choice)));
                assertTrue(isPacked(global.settings().with(choice.locked())));
            }
        }
    }

    @Test
    void innermostStoreWinsUnlessLocked() {
        for (String outer : new String[] {null, "system", "controller", "team-a"}) {
            for (String inner : new String[] {null, "system", "controller", "team-a"}) {
                TransferOverride choice = new TransferOverride(null, null, null, null, inner)
                        .inheritFrom(new TransferOverride(null, null, null, null, outer));
                assertEquals(inner == null ? outer : inner, choice.store);
                assertNull(choice.locked().store);
            }
        }
    }

    private static boolean isPacked(TransferSettings settings) {
        return settings.storage() == TransferSettings.Storage.PACKED;
    }

    /** A job's configuration may have any text, and Jenkins' log shows the message. */
    @Test
    void messageOfInvalidValueIsOneShortLine() {
        String value = "zstd\nSEVERE forged \u202e\ud800" + "x".repeat(1000);
        String message = assertThrows(IllegalArgumentException.class, () -> EnumSetting.CODEC.parse(value))
                .getMessage();
        assertTrue(message.contains("zstd SEVERE forged x"), message);
        assertTrue(message.length() < 300, message);
        assertEquals(1, message.lines().count());
    }

    /** All builds share the controller's processors, so the administrator's highest level also limits a Jenkinsfile's choice there. */
    @Test
    void fixedLevelIsLimitedOnController() {
        CompressionAwareArtifactManagerFactory global = new CompressionAwareArtifactManagerFactory();
        TransferSettings chosen = global.settings().with(TransferOverride.unchecked("zstd", 19));
        assertEquals(CodecLevel.zstd(9), fixed(chosen.onController().compression()));
        assertEquals(CodecLevel.zstd(19), fixed(chosen.toSendOptions().compression()), "on agents");
        global.setMaxLevel(0);
        chosen = global.settings().with(TransferOverride.unchecked("gzip", 6));
        assertEquals(CodecLevel.UNCOMPRESSED, fixed(chosen.onController().compression()));
    }

    private static CodecLevel fixed(CompressionMode mode) {
        return ((CompressionMode.Fixed) mode).choice();
    }

    private static Set<String> settings(Class<?> type) {
        return Arrays.stream(type.getMethods())
                .filter(method -> method.isAnnotationPresent(DataBoundSetter.class))
                .map(method -> method.getName().substring(3))
                .map(name -> name.substring(0, 1).toLowerCase(Locale.ROOT) + name.substring(1))
                .filter(name -> !FORMER_NAMES.contains(name))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String row(String setting) {
        boolean folder = settings(FolderArtifactTransferProperty.class).contains(setting);
        boolean job = settings(ArtifactTransferProperty.class).contains(setting);
        boolean step = settings(WithArtifactTransferStep.class).contains(setting);
        if (!folder && !job && !step) {
            return "";
        }
        String applies =
                switch (setting) {
                    case "reuse" -> "`off`, if any of them has it, even with `lockOverrides`";
                    case "codec", "storage", "store" -> "the innermost; with `lockOverrides` the administrator's";
                    case "level" -> "as for `codec`; where the controller compresses, at most `maxLevel`";
                    default -> throw new AssertionError("Test which value of " + setting + " applies");
                };
        return "| `%s` | yes | %s | %s | %s | %s |\n"
                .formatted(setting, folder ? "yes" : "", job ? "yes" : "", step ? "yes" : "", applies);
    }

    @Test
    void tableOfSettingsHasValuesAndDefaults() {
        String page = Page.of(FILE.toString()).text();
        Set<String> settings = settings(CompressionAwareArtifactManagerFactory.class);
        settings.forEach(setting -> assertTrue(page.contains("| `" + setting + "` | "), setting + " has no row"));
        for (EnumSetting setting : EnumSetting.values()) {
            String values = setting.values.stream()
                    .map(value -> "`" + value + "`")
                    .collect(Collectors.joining(", "))
                    .replaceFirst("`\\w+`", "**$0**")
                    .concat(setting == EnumSetting.STORE ? ", a name of `stores`" : "");
            assertTrue(page.contains("| `" + setting.name + "` | " + values + " |"), setting.name + ": " + values);
        }
        for (IntSetting setting : List.of(
                TransferSettings.MIN_LEVEL,
                TransferSettings.MAX_LEVEL,
                TransferSettings.THREADS,
                TransferSettings.STREAMS,
                TransferSettings.RECONNECT_SECONDS)) {
            String row = "| `%s` | %d to %d, **".formatted(setting.name(), setting.min(), setting.max());
            assertTrue(page.contains(row), row);
        }
        String count = "[" + settings.size() + " settings, all optional]";
        assertTrue(Page.of("README.md").text().contains(count), count);
    }

    @Test
    void pageShowsWhoDecides() throws Exception {
        String text = Page.of(FILE.toString()).text();
        String rows = settings(CompressionAwareArtifactManagerFactory.class).stream()
                .map(WhoDecidesTest::row)
                .collect(Collectors.joining());
        String table =
                "| setting | system | folder | job | Jenkinsfile | value that applies |\n|---|---|---|---|---|---|\n";
        String page = text.substring(0, text.indexOf(BEGIN) + BEGIN.length()) + "\n" + table + rows + "\n"
                + text.substring(text.indexOf(END));
        if (System.getProperty("levels.write") != null) {
            Files.writeString(Page.root().resolve(FILE), page);
        }
        assertEquals(page, Page.of(FILE.toString()).text(), "Update the table with -Dlevels.write");
    }
}
