package io.jenkins.plugins.compressionaware.engine.receive;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.engine.flow.Figures;
import io.jenkins.plugins.compressionaware.engine.tar.ExtractionWarning;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReceiveReportTest {
    private static ReceiveReport claimed(int entries, long contentBytes, List<ExtractionWarning> warnings) {
        return new ReceiveReport(new Figures(entries, contentBytes, 0, 0, 0, 0, 0, 0, -1), warnings, 0)
                .withKnownSizes(20_480, 1000);
    }

    @Test
    void claimsAreLimitedByKnownSizes() {
        ReceiveReport much = claimed(Integer.MAX_VALUE, Long.MAX_VALUE, null);
        assertEquals(40, much.figures().entries());
        assertEquals(20_480, much.figures().contentBytes());
        ReceiveReport negative = claimed(-1, -1, List.of());
        assertEquals(0, negative.figures().entries());
        assertEquals(0, negative.figures().contentBytes());
        ExtractionWarning warning = new ExtractionWarning(ExtractionWarning.Type.DIRECTORY_NOT_REPLACED, 1, "a", "");
        assertEquals(
                ExtractionWarning.Type.values().length,
                claimed(1, 1, Collections.nCopies(9, warning)).warnings().size());
        assertEquals(
                List.of(warning),
                claimed(1, 1, Arrays.asList(null, warning, new ExtractionWarning(null, 1, "a", "")))
                        .warnings());
        for (int count : new int[] {Integer.MAX_VALUE, -7}) {
            ExtractionWarning many = new ExtractionWarning(warning.type(), count, "a", "");
            assertEquals(
                    count > 0 ? 40 : 1,
                    claimed(50, 1, List.of(many)).warnings().get(0).count());
        }
        ReceiveReport honest = claimed(3, 1200, List.of());
        assertEquals(3, honest.figures().entries());
        assertEquals(1200, honest.figures().contentBytes());
    }
}
