package io.jenkins.plugins.compressionaware.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.engine.tar.ExtractionWarning;
import io.jenkins.plugins.compressionaware.testing.EnglishLocale;
import java.util.Locale;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The warnings in the build log about entries that could not be extracted as sent. */
@ExtendWith(EnglishLocale.class)
class ExtractionWarningTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            en | SYMLINK_NOT_CREATED | 1 | denied | One symbolic link could not be created and is missing. It is a: denied
            en | SYMLINK_NOT_CREATED | 3 | denied | 3 symbolic links could not be created and are missing. The first is a: denied
            de | SYMLINK_NOT_CREATED | 3 | denied | 3 symbolische Links konnten nicht angelegt werden und fehlen. Der erste ist a: denied
            en | NAME_COLLISION    | 1 | ''     | One file overwrote another of this transfer: their names differ only in case (or Unicode form). It is a
            en | NAME_COLLISION    | 2 | ''     | 2 files overwrote others of this transfer: their names differ only in case (or Unicode form). The first is a
            de | NAME_COLLISION    | 1 | ''     | Eine Datei hat eine andere dieser Übertragung überschrieben: Ihre Namen unterscheiden sich nur in der Groß- und Kleinschreibung (oder der Unicode-Form). Es ist a
            en | DIRECTORY_NOT_REPLACED   | 1 | ''     | One symbolic link was left out, because a non-empty folder is in its place. It is a
            de | DIRECTORY_NOT_REPLACED   | 2 | ''     | 2 symbolische Links wurden ausgelassen, weil an ihrer Stelle nicht leere Ordner sind. Der erste ist a
            """)
    void warningHasNumberAndFirstName(
            String language, ExtractionWarning.Type type, int count, String reason, String line) {
        Locale.setDefault(Locale.forLanguageTag(language));
        assertEquals(line, BuildLogMessages.completed(new ExtractionWarning(type, count, "a", reason)));
    }
}
