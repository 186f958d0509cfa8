package io.jenkins.plugins.compressionaware.report;

import hudson.AbortException;
import hudson.remoting.Channel;
import hudson.remoting.ChannelClosedException;
import hudson.remoting.RequestAbortedException;
import io.jenkins.plugins.compressionaware.engine.codec.CorruptFrameException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.BufferOverflowException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.util.List;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.tools.ant.BuildException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Reports the failure of a step as one line in the build log, as Jenkins' own steps do. Only programming errors keep their stack trace. */
@Restricted(NoExternalUse.class)
public final class StepFailure {
    private static final Logger LOGGER = Logger.getLogger(StepFailure.class.getName());

    /** Maximum length of a stack trace in the build log, bytes. */
    private static final int MAX_TRACE_LENGTH = 64 << 10;

    /** Page with a row for each message. */
    private static final String HELP =
            "https://github.com/jenkinsci/compression-aware-artifacts-plugin/blob/main/docs/troubleshooting.md#";

    /** Explains messages that contain a text, which is English in every language. */
    record Row(String text, String anchor) {}

    /** Frequent failures. The first row whose text occurs in a message counts. */
    static final List<Row> ROWS = List.of(
            new Row("JVM is out of memory", "jvm-is-out-of-memory"),
            new Row("cannot connect to the store", "cannot-connect-to-the-store"),
            new Row("The store answered ", "the-store-answered"),
            new Row("The request to the store failed: ", "the-store-answered"),
            new Row("A request to the store stalled", "the-store-answered"),
            new Row("A response of the store ", "the-store-answered"),
            new Row("Cannot read s3://", "cannot-use-the-store"),
            new Row("Cannot write ", "cannot-write"),
            new Row("No space left on device", "cannot-write"),
            new Row("could not be moved", "could-not-be-moved"),
            new Row("it shrank from ", "cannot-archive-it-shrank-from-to"),
            new Row("there is no such file", "there-is-no-such-file"),
            new Row("access denied", "access-denied"),
            new Row("it leaves the archive folder", "refused-it-leaves-the-archive-folder"),
            new Row("Direct HTTP transfer is required, but failed: ", "direct-http-transfer-is-required-but-2"),
            new Row("is cut short", "cannot-read"),
            new Row("Cannot read ", "cannot-read"));

    private StepFailure() {}

    /**
     * Runs the work of a step. The message of a failure ends with the address of its explanation. Thrown exceptions have no stack trace because Pipeline and
     * Copy Artifact would print it; the trace is logged at level FINE.
     *
     * @throws AbortException instead of a failure that is not a programming error, and instead of one whose trace is too long. Its cause is a
     *     {@link ChannelClosedException} if the agent was lost, because {@code retry(conditions: [agent()])} and scripts search the causes for it
     */
    public static <R> R inOneLine(Work<R> work) throws IOException, InterruptedException {
        try {
            return work.run();
        } catch (InterruptedException e) {
            LOGGER.log(Level.FINE, "A step was aborted", e);
            // Pipeline's subclass carries the build's result and the cause of the abort
            throw e.getClass() == InterruptedException.class
                    ? traceless(new InterruptedException("The transfer was interrupted"))
                    : e;
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            if (isShort(e) && (e instanceof AbortException || Causes.of(e).anyMatch(StepFailure::isFault))) {
                throw e;
            }
            LOGGER.log(Level.FINE, "A step failed", e);
            Throwable lost = Causes.lostConnection(e);
            AbortException shown = traceless(
                    new AbortException(BuildLogMessages.oneLine(Causes.reason(e)) + " (" + HELP + row(e) + ")"));
            if (lost != null) {
                shown.initCause(traceless(new ChannelClosedException((Channel) null, Causes.reason(lost), null)));
            }
            throw shown;
        }
    }

    /** Returns the anchor of the row that explains a failure. */
    private static String row(Throwable failure) {
        if (Causes.lostConnection(failure) != null) {
            return "connection-lost";
        }
        Optional<Throwable> known = Causes.of(failure)
                .filter(KnownFailureException.class::isInstance)
                .findFirst();
        if (known.isPresent()) {
            return ((KnownFailureException) known.get()).anchor();
        }
        if (Causes.of(failure).anyMatch(CorruptFrameException.class::isInstance)) {
            return "damaged";
        }
        return ROWS.stream()
                .filter(row -> Causes.reason(failure).contains(row.text))
                .findFirst()
                .map(Row::anchor)
                .orElse("it-fails");
    }

    /** Distinguishes a programming error from a lost agent, a full heap, a wrong pattern, a disk failure or an invalid name. */
    private static boolean isFault(Throwable cause) {
        boolean isOutside = cause instanceof RequestAbortedException
                || cause instanceof OutOfMemoryError
                || cause instanceof BuildException
                || cause instanceof UncheckedIOException
                || cause instanceof InvalidPathException;
        return !isOutside && (cause instanceof Error || cause instanceof RuntimeException);
    }

    /** Returns whether the printed stack trace has a usual length. An agent can send one of any length. */
    private static boolean isShort(Throwable failure) {
        OutputStream counter = new OutputStream() {
            private int length;

            @Override
            public void write(int unused) {
                if (++length > MAX_TRACE_LENGTH) {
                    throw new BufferOverflowException();
                }
            }
        };
        try {
            failure.printStackTrace(new PrintStream(counter, false, StandardCharsets.UTF_8));
            return true;
        } catch (BufferOverflowException e) {
            return false;
        }
    }

    private static <E extends Exception> E traceless(E shown) {
        shown.setStackTrace(new StackTraceElement[0]);
        return shown;
    }
}
