package io.jenkins.plugins.compressionaware.overview;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.UpgradeTest;
import io.jenkins.plugins.compressionaware.report.Totals;
import io.jenkins.plugins.compressionaware.testkit.jenkins.OnJenkins;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Totals that a version from before the first release has saved. */
class EarlierTotalsTest extends OnJenkins {
    /** The day of the file, milliseconds since 1970. */
    private static final long SAVED = 1_795_305_600_000L;

    @Test
    void totalsOfAnOlderVersionAreThere() throws Exception {
        Path file = r.jenkins.getRootDir().toPath().resolve("compression-aware-artifacts/transfers.xml");
        Files.createDirectories(file.getParent());
        String saved = "UpgradeTest/settingsAndBuildsAreThere/compression-aware-artifacts/transfers.xml";
        try (InputStream in = Objects.requireNonNull(UpgradeTest.class.getResourceAsStream(saved))) {
            Files.copy(in, file);
        }
        RollingTotals totals = Transfers.get().totals();
        assertEquals(4, totals.lastWeek(SAVED).transfers);
        assertEquals(400_000, totals.lastWeek(SAVED).rawBytes);
        assertEquals(Map.of("folder/job", 4L), transfers(totals.jobs(SAVED)));
        assertEquals(4, totals.sinceYesterday(SAVED + 1).transfers);
        assertEquals(0, totals.lastWeek(SAVED + 7 * 86_400_000L).transfers);
    }

    private static Map<String, Long> transfers(Map<String, Totals> named) {
        return named.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, each -> each.getValue().transfers));
    }
}
