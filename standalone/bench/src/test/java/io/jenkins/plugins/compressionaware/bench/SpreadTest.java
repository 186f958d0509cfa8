package io.jenkins.plugins.compressionaware.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SpreadTest {
    @Test
    void medianOfAnOddAndAnEvenNumber() {
        assertEquals(Optional.of(new Spread(3, 1, 9)), Spread.of(List.of(9, 1, 3)));
        assertEquals(Optional.of(new Spread(2.5, 1, 9)), Spread.of(List.of(9, 1, 3, 2)));
    }

    @Test
    void whatWasNotMeasuredDoesNotCount() {
        assertEquals(Optional.of(new Spread(4, 4, 4)), Spread.of(Arrays.asList(null, 4L)));
        assertEquals(Optional.empty(), Spread.of(Arrays.asList((Long) null)));
    }
}
