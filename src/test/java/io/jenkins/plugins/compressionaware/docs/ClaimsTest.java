package io.jenkins.plugins.compressionaware.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.config.EnumSetting;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares numbers and settings on the pages for users with the sources. {@link TroubleshootingTest} compares messages. */
class ClaimsTest {
    private static final String SOURCES = "src/main/java/io/jenkins/plugins/compressionaware/";
    private static final Pattern SETTER = Pattern.compile("@DataBoundSetter\\s+public void set(\\w+)");
    private static final Pattern FORMER =
            Pattern.compile("The former names `(\\w+)`, `(\\w+)` and `(\\w+)`", Pattern.DOTALL);
    private static final Pattern ROW = Pattern.compile("(?m)^\\|[^|]*\\| `(\\w+)` \\| ([^|]*) \\| [^|]* \\|$");
    private static final Pattern VALUE = Pattern.compile("(\\**)`([^`]+)`");
    private static final Pattern CALL = Pattern.compile(".*\\((\\d+)\\)");
    private static final Pattern EXPRESSION = Pattern.compile("(\\w+)(?: (<<|\\*|/) (\\w+))?");

    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            value = {
                "docs/administrators.md # If it has %d MiB or more # engine/http/DirectLaneOffer # MIN_BYTES #"
                        + " 1048576",
                "docs/troubleshooting.md # for less than %d MiB, or # engine/http/DirectLaneOffer # MIN_BYTES #"
                        + " 1048576",
                "docs/administrators.md # uses at most %d threads of the web server # directlane/DirectLaneSessions #"
                        + " CONNECTIONS # 1",
                "docs/administrators.md # accept %d more connections # directlane/DirectLaneSessions # CONNECTIONS # 1",
                "docs/troubleshooting.md # use all %d connections # directlane/DirectLaneSessions # CONNECTIONS # 1",
                "docs/security.md # the %,d highest numbers # directlane/DirectLaneSessions # MAX_REMEMBERED_REQUESTS"
                        + " # 1",
                "docs/administrators.md # At most %d run at a time # transfer/AgentTurn # MAX # 1",
                "docs/troubleshooting.md # runs at most %d at a time # transfer/AgentTurn # MAX # 1",
                "docs/administrators.md # Every %dth build # reference/DeltaEstimator # FULL_INTERVAL # 1",
                "docs/administrators.md # each file of %d KiB or more # engine/staging/FileDeduplicator #"
                        + " MIN_FILE_BYTES # 1024",
                "docs/administrators.md # at most %,d links # engine/staging/FileDeduplicator # MAX_LINKS # 1",
                "docs/administrators.md # up to %d small files in parallel # engine/tar/AdaptiveConcurrency #"
                        + " MAX_FILES # 1",
                "docs/administrators.md # add up to %d threads that write # engine/run/JvmLimits # WRITERS # 1",
                "docs/administrators.md # is measured from %d MiB on # engine/send/BlockCompressor #"
                        + " CPU_MEASUREMENT_MIN_BYTES # 1048576",
                "docs/administrators.md # less than one block (%d KiB) # engine/codec/FrameCodec # DEFAULT_BLOCK #"
                        + " 1024",
                "docs/administrators.md # a round trip above %d ms # provisioning/RoundTripEstimate # FAR_NANOS # 1",
                "docs/troubleshooting.md # a round trip above %d ms # provisioning/RoundTripEstimate # FAR_NANOS # 1",
                "docs/administrators.md # up to %d streams (`maxStreams`) # provisioning/RoundTripEstimate #"
                        + " MAX_STREAMS # 1",
                "docs/troubleshooting.md # sends %d MiB per round trip # engine/flow/Credit # STREAM_WINDOW # 1048576",
                "docs/troubleshooting.md # up to %d MiB of small files # agent/BootstrapArchiveCallable #"
                        + " ENGINE_THRESHOLD_BYTES # 1048576",
                "docs/administrators.md # first sends with `gzip %d` # agent/BootstrapArchiveCallable # LEVEL # 1",
                "docs/administrators.md # (a stash: `gzip %d`) # agent/BootstrapArchiveCallable # STASH_LEVEL # 1",
                "docs/pipelines.md # zstd %d is the lowest level # transfer/StashCodecs # MIN_AUTO_LEVEL # 1",
                "docs/administrators.md # Artifacts of %d MiB and more # engine/send/OwnObjects # MIN_BYTES # 1048576",
                "docs/administrators.md # one for each %d MiB, # engine/store/PartSender # FIRST_LENGTH # 1048576",
                "docs/security.md # no reading | %d minutes # store/ObjectStore # FOR_PARTS # 1",
                "docs/security.md # can store %,d parts # store/ObjectUpload # MAX_PARTS # 1",
                "README.md # compressed there with zstd %d # transfer/StashCodecs # MIN_AUTO_LEVEL # 1"
            })
    void pagesShowConstants(String page, String text, String source, String constant, long unit) throws IOException {
        String expected = String.format(Locale.ROOT, text, constant(source, constant) / unit);
        assertTrue(Page.of(page).text().replaceAll("\\s+", " ").contains(expected), page + " lacks: " + expected);
    }

    private static long constant(String source, String name) throws IOException {
        Matcher found = Pattern.compile("\\b" + name + " =\\s+([^;]+);").matcher(source(source));
        assertTrue(found.find(), source + " has no " + name);
        String text = found.group(1).replace("_", "");
        Matcher call = CALL.matcher(text);
        Matcher parts = EXPRESSION.matcher(call.matches() ? call.group(1) : text);
        assertTrue(parts.matches(), text);
        long left = number(source, parts.group(1));
        long right = parts.group(2) == null ? 1 : number(source, parts.group(3));
        return "<<".equals(parts.group(2)) ? left << right : "/".equals(parts.group(2)) ? left / right : left * right;
    }

    private static long number(String source, String text) throws IOException {
        return text.matches("\\d+") ? Long.parseLong(text) : constant(source, text);
    }

    private static String source(String name) throws IOException {
        return Files.readString(Page.root().resolve(SOURCES + name + ".java"));
    }

    /** The table of settings has all keys of YAML, and the values and defaults of those with a list. */
    @Test
    void tableOfSettingsIsComplete() throws IOException {
        String page = Page.of("docs/administrators.md").text();
        Map<String, String> rows = new TreeMap<>();
        String table = page.substring(page.indexOf("\n## Settings"), page.indexOf("\n### Bytes on the network"));
        for (MatchResult row : ROW.matcher(table).results().toList()) {
            rows.put(row.group(1), row.group(2));
        }
        Matcher former = FORMER.matcher(page);
        assertTrue(former.find());
        Set<String> keys = SETTER.matcher(
                        source("CompressionAwareArtifactManagerFactory") + source("StoringManagerFactory"))
                .results()
                .map(setter -> setter.group(1).substring(0, 1).toLowerCase(Locale.ROOT)
                        + setter.group(1).substring(1))
                .collect(Collectors.toCollection(TreeSet::new));
        keys.removeAll(Set.of(former.group(1), former.group(2), former.group(3)));
        assertEquals(keys, rows.keySet());
        assertTrue(Page.of("README.md").text().contains("[" + keys.size() + " settings, all optional]"));
        // the store of folders has a table of its own
        for (EnumSetting setting : EnumSet.complementOf(EnumSet.of(EnumSetting.STORE))) {
            String error = assertThrows(IllegalArgumentException.class, () -> setting.parse("?"))
                    .getMessage();
            String key = keys.stream()
                    .filter(k -> error.contains(" for " + k + "."))
                    .findFirst()
                    .orElseThrow();
            List<String> shown = new ArrayList<>();
            for (MatchResult value : VALUE.matcher(rows.get(key)).results().toList()) {
                shown.add(value.group(2));
                assertEquals(
                        value.group(2).equals(setting.defaultValue()),
                        !value.group(1).isEmpty(),
                        value.group());
            }
            List<String> valid = Arrays.asList(error.substring(error.indexOf("Valid values: ") + 14, error.length() - 1)
                    .split(", "));
            assertEquals(new TreeSet<>(valid), new TreeSet<>(shown), key);
        }
    }
}
