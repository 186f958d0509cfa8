package io.jenkins.plugins.compressionaware.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.tar.Remark;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the build log says about entries that landed otherwise than they were sent. */
class RemarkTest {
    private final Locale before = Locale.getDefault();

    @AfterEach
    void restore() {
        Locale.setDefault(before);
    }

    @Test
    void linkLeftOut() {
        Locale.setDefault(Locale.ENGLISH);
        assertEquals(
                "One symbolic link could not be created on the controller and is missing in the archive."
                        + " It is libx.so: Operation not permitted",
                linkLeftOut(1));
        assertEquals(
                "3 symbolic links could not be created on the controller and are missing in the archive."
                        + " The first is libx.so: Operation not permitted",
                linkLeftOut(3));
        Locale.setDefault(Locale.GERMAN);
        assertEquals(
                "3 symbolische Links konnten auf dem Controller nicht angelegt werden und fehlen im Archiv."
                        + " Der erste ist libx.so: Operation not permitted",
                linkLeftOut(3));
    }

    @Test
    void nameTaken() {
        Locale.setDefault(Locale.ENGLISH);
        assertEquals(
                "One file replaced another of the same archive, since the controller's disk does not tell the names"
                        + " apart. It is foo.html",
                nameTaken(1));
        assertEquals(
                "2 files replaced another of the same archive, since the controller's disk does not tell the names"
                        + " apart. The first is foo.html",
                nameTaken(2));
        Locale.setDefault(Locale.GERMAN);
        assertEquals(
                "Eine Datei hat eine andere desselben Archivs ersetzt, weil das Dateisystem des Controllers die Namen"
                        + " nicht unterscheidet. Es ist foo.html",
                nameTaken(1));
    }

    private static String linkLeftOut(int count) {
        return AgentTransfer.describe(
                new Remark(Remark.Kind.LINK_LEFT_OUT, count, "libx.so", "Operation not permitted"));
    }

    private static String nameTaken(int count) {
        return AgentTransfer.describe(new Remark(Remark.Kind.NAME_TAKEN, count, "foo.html", ""));
    }
}
