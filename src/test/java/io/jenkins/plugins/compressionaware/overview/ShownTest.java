package io.jenkins.plugins.compressionaware.overview;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.jvnet.localizer.LocaleProvider;

class ShownTest {
    private final LocaleProvider locale = LocaleProvider.getProvider();

    @BeforeEach
    void speakEnglish() {
        LocaleProvider.setProvider(new LocaleProvider() {
            @Override
            public Locale get() {
                return Locale.ENGLISH;
            }
        });
    }

    @AfterEach
    void speakAsBefore() {
        LocaleProvider.setProvider(locale);
    }

    @Test
    void aSmallShareIsNotNothing() {
        assertEquals("62\u00a0%", Shown.percent(62.3, 100));
        assertEquals("0.2\u00a0%", Shown.percent(0.2, 100));
        assertEquals("0\u00a0%", Shown.percent(0, 100));
        assertEquals("\u2013", Shown.percent(0, 0));
    }
}
