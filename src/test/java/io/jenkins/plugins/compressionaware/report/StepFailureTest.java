package io.jenkins.plugins.compressionaware.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.AbortException;
import hudson.remoting.Channel;
import hudson.remoting.ChannelClosedException;
import hudson.remoting.RequestAbortedException;
import io.jenkins.plugins.compressionaware.docs.Page;
import io.jenkins.plugins.compressionaware.engine.codec.CorruptFrameException;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.StreamHandler;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.tools.ant.BuildException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class StepFailureTest {
    private static final String HELP =
            " (https://github.com/jenkinsci/compression-aware-artifacts-plugin/blob/main/docs/troubleshooting.md#";

    private final Logger logger = Logger.getLogger(StepFailure.class.getName());
    private final List<LogRecord> records = new ArrayList<>();
    private final Handler handler = new StreamHandler() {
        @Override
        public void publish(LogRecord message) {
            records.add(message);
        }
    };

    @BeforeEach
    void listen() {
        logger.setLevel(Level.FINE);
        logger.addHandler(handler);
    }

    @AfterEach
    void stop() {
        logger.removeHandler(handler);
        logger.setLevel(null);
    }

    private static Exception outcome(Exception failure) {
        return assertThrows(
                Exception.class,
                () -> StepFailure.inOneLine(() -> {
                    if (failure instanceof RuntimeException e) {
                        throw e;
                    } else if (failure instanceof InterruptedException e) {
                        throw e;
                    }
                    throw (IOException) failure;
                }));
    }

    record Shown(Exception failure, String line, String row) {
        Shown(Exception failure, String line) {
            this(failure, line, "it-fails");
        }
    }

    static Stream<Shown> failures() {
        return Stream.of(
                new Shown(
                        new IOException("Cannot archive a: access denied"),
                        "Cannot archive a: access denied",
                        "access-denied"),
                new Shown(
                        new IOException("Cannot write a: access denied"),
                        "Cannot write a: access denied",
                        "cannot-write"),
                new Shown(
                        new IOException("A response of the store is cut short. The connection to the store broke."),
                        "A response of the store is cut short. The connection to the store broke.",
                        "the-store-answered"),
                new Shown(
                        new IOException("Cannot read http://s/b/k. The store answered HTTP 404."),
                        "Cannot read http://s/b/k. The store answered HTTP 404.",
                        "the-store-answered"),
                new Shown(
                        new IOException("The request to the store failed: no. This agent cannot connect to the store."),
                        "The request to the store failed: no. This agent cannot connect to the store.",
                        "cannot-connect-to-the-store"),
                new Shown(
                        new IOException("Cannot read s3://b/k: no region"),
                        "Cannot read s3://b/k: no region",
                        "cannot-use-the-store"),
                new Shown(new IOException("two\nlines"), "two lines"),
                new Shown(new EOFException(), "java.io.EOFException"),
                new Shown(new AccessDeniedException("/x"), "java.nio.file.AccessDeniedException: /x"),
                new Shown(
                        new FileSystemException("/x", null, "No space left on device"),
                        "/x: No space left on device",
                        "cannot-write"),
                new Shown(new IOException("no workspace", new BuildException("basedir")), "no workspace"),
                new Shown(new InvalidPathException("a", "Malformed"), "Malformed: a"),
                new Shown(new BuildException("no folder"), "no folder"),
                new Shown(new UncheckedIOException(new IOException("ends early")), "java.io.IOException: ends early"));
    }

    /** Jenkins prints only the message of an {@link AbortException}. */
    @ParameterizedTest
    @MethodSource("failures")
    void failureBecomesOneLine(Shown shown) {
        Exception outcome = outcome(shown.failure);
        assertSame(AbortException.class, outcome.getClass());
        assertEquals(shown.line + HELP + shown.row + ")", outcome.getMessage());
        assertNull(outcome.getCause());
        assertEquals(0, outcome.getStackTrace().length);
        assertEquals(Level.FINE, records.get(0).getLevel());
        assertSame(shown.failure, records.get(0).getThrown());
    }

    /** The condition {@code agent()} of {@code retry} finds a lost agent by the exception's causes. */
    @Test
    void lostConnectionRemainsAsCauseWithoutStackTrace() {
        ChannelClosedException lost =
                new ChannelClosedException((Channel) null, "channel is already closed", new IOException("reset"));
        for (Throwable failure : List.of(lost, new RequestAbortedException(lost), new RequestAbortedException(null))) {
            Exception outcome = outcome(new IOException("Archiving from /w on a failed", failure));
            assertTrue(outcome.getMessage().endsWith(HELP + "connection-lost)"), outcome.getMessage());
            Throwable cause = outcome.getCause();
            assertSame(ChannelClosedException.class, cause.getClass());
            assertTrue(cause.getMessage().contains(Causes.reason(failure)), cause.getMessage());
            assertNull(cause.getCause());
            assertEquals(0, cause.getStackTrace().length);
        }
    }

    @Test
    void damageHasRowOfItsOwn() {
        Exception outcome = outcome(new IOException("x", new CorruptFrameException("block 3 was damaged")));
        assertEquals("x" + HELP + "damaged)", outcome.getMessage());
    }

    /** A repeated unstash would find the same damage, so the advice differs. */
    @Test
    void damageOnDiskHasAnotherRowThanDamageOnNetwork() {
        IOException onAgent = new IOException("x", new CorruptFrameException("block 3 was damaged"));
        Exception outcome = outcome(new KnownFailureException("damaged-on-disk", "The stash is damaged", onAgent));
        assertEquals("The stash is damaged" + HELP + "damaged-on-disk)", outcome.getMessage());
    }

    /** The texts of rows are English, and a localized message has none of them. */
    @Test
    void localizedFailureNamesItsRow() {
        IOException silent = new KnownFailureException("no-data-has-moved-for-and", "Seit 40 min keine Daten");
        Exception outcome = outcome(new IOException("Das Archivieren ist fehlgeschlagen", silent));
        assertEquals("Das Archivieren ist fehlgeschlagen" + HELP + "no-data-has-moved-for-and)", outcome.getMessage());
    }

    @Test
    void addressesAreAnchorsOfThePage() throws IOException {
        Set<String> addresses = new TreeSet<>(List.of("connection-lost", "damaged", "it-fails"));
        try (Stream<Path> sources = Files.walk(Page.root().resolve("src/main/java"))) {
            for (Path source : sources.filter(Files::isRegularFile).toList()) {
                Pattern.compile("new KnownFailureException\\(\\s*\"([^\"]+)")
                        .matcher(Files.readString(source))
                        .results()
                        .forEach(known -> addresses.add(known.group(1)));
            }
        }
        assertTrue(addresses.contains("damaged-on-disk"));
        addresses.removeAll(Page.of("docs/troubleshooting.md").anchors());
        assertEquals(Set.of(), addresses);
    }

    @Test
    void frequentFailuresAreQuotedInTheirRows() {
        String page = Page.of("docs/troubleshooting.md").text();
        for (StepFailure.Row row : StepFailure.ROWS) {
            String line = page.lines()
                    .filter(text -> text.startsWith("| <a id=\"" + row.anchor() + "\"></a>"))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError(row.anchor()));
            assertTrue(line.contains(row.text().strip()), row.toString());
        }
    }

    @Test
    void abortHasNoStackTrace() {
        InterruptedException abort = new InterruptedException("in a read");
        Exception outcome = outcome(abort);
        assertSame(InterruptedException.class, outcome.getClass());
        assertNotSame(abort, outcome);
        assertEquals(0, outcome.getStackTrace().length);
        assertSame(abort, records.get(0).getThrown());
    }

    /** Pipeline's subclass carries the result of the build and the cause of the abort. */
    @Test
    void subclassOfInterruptedExceptionIsRethrown() {
        InterruptedException abort = new InterruptedException() {};
        assertSame(abort, outcome(abort));
    }

    @Test
    void programmingErrorKeepsStackTrace() {
        for (Exception fault : List.of(
                new IOException("The agent failed", new NullPointerException()),
                new IOException("The agent failed", new IOException(new NoClassDefFoundError())),
                new IllegalStateException())) {
            assertSame(fault, outcome(fault));
        }
        assertEquals(List.of(), records);
    }

    @Test
    void fullHeapIsOneLine() {
        OutOfMemoryError full = new OutOfMemoryError("Java heap space");
        Exception outcome = outcome(new IOException("Archiving failed: " + Causes.reason(full), full));
        assertEquals(
                "Archiving failed: the JVM is out of memory: Java heap space" + HELP + "jvm-is-out-of-memory)",
                outcome.getMessage());
    }

    @Test
    void abortExceptionIsRethrown() {
        AbortException refused = new AbortException("No files included in stash");
        assertSame(refused, outcome(refused));
    }

    /** An agent can send an exception of any class with a text of any length. */
    @Test
    void longFailureOfEveryKindBecomesOneShortLine() {
        String text = "line\n".repeat(2_000_000);
        for (Exception fault : List.of(
                new AbortException(text),
                new IllegalStateException(text),
                new IOException("The agent failed", new NoClassDefFoundError(text)))) {
            Exception outcome = outcome(fault);
            assertSame(AbortException.class, outcome.getClass());
            assertTrue(outcome.getMessage().length() <= 1000 + HELP.length() + "connection-lost)".length());
            assertNull(outcome.getCause());
        }
    }
}
