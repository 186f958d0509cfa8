package io.jenkins.plugins.compressionaware.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.tar.LandingWarning;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the build log says about entries that landed otherwise than they were sent. */
class LandingWarningTest {
    private final Locale before = Locale.getDefault();

    @AfterEach
    void restore() {
        Locale.setDefault(before);
    }

    @Test
    void linkLeftOut() {
        Locale.setDefault(Locale.ENGLISH);
        assertEquals(
                "One symbolic link could not be created and is missing." + " It is libx.so: Operation not permitted",
                linkLeftOut(1));
        assertEquals(
                "3 symbolic links could not be created and are missing."
                        + " The first is libx.so: Operation not permitted",
                linkLeftOut(3));
        Locale.setDefault(Locale.GERMAN);
        assertEquals(
                "3 symbolische Links konnten nicht angelegt werden und fehlen."
                        + " Der erste ist libx.so: Operation not permitted",
                linkLeftOut(3));
    }

    @Test
    void nameTaken() {
        Locale.setDefault(Locale.ENGLISH);
        assertEquals(
                "One file replaced another of the same transfer, since the disk does not tell the names apart."
                        + " It is foo.html",
                nameTaken(1));
        assertEquals(
                "2 files replaced another of the same transfer, since the disk does not tell the names apart."
                        + " The first is foo.html",
                nameTaken(2));
        Locale.setDefault(Locale.GERMAN);
        assertEquals(
                "Eine Datei hat eine andere derselben Übertragung ersetzt, weil das Dateisystem die Namen nicht"
                        + " unterscheidet. Es ist foo.html",
                nameTaken(1));
    }

    @Test
    void folderKept() {
        Locale.setDefault(Locale.ENGLISH);
        assertEquals(
                "One symbolic link was left out, since a folder with content is in its place. It is current",
                LogLine.of(new LandingWarning(LandingWarning.Kind.FOLDER_KEPT, 1, "current", "")));
        Locale.setDefault(Locale.GERMAN);
        assertEquals(
                "2 symbolische Links wurden ausgelassen, weil an ihrer Stelle Ordner mit Inhalt stehen."
                        + " Der erste ist current",
                LogLine.of(new LandingWarning(LandingWarning.Kind.FOLDER_KEPT, 2, "current", "")));
    }

    private static String linkLeftOut(int count) {
        return LogLine.of(
                new LandingWarning(LandingWarning.Kind.LINK_LEFT_OUT, count, "libx.so", "Operation not permitted"));
    }

    private static String nameTaken(int count) {
        return LogLine.of(new LandingWarning(LandingWarning.Kind.NAME_TAKEN, count, "foo.html", ""));
    }
}
