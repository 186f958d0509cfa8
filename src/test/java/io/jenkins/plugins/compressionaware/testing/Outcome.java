package io.jenkins.plugins.compressionaware.testing;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;

/** How a transfer ended that a test disturbs. */
public enum Outcome {
    WHOLE,
    INTERRUPTED,
    FAILED;

    @FunctionalInterface
    public interface Attempt {
        void run() throws IOException, InterruptedException;
    }

    /** @param unexpected gets the first failure that is neither an {@link IOException} nor an interrupt */
    public static Outcome of(Attempt attempt, AtomicReference<Throwable> unexpected) {
        try {
            attempt.run();
            return WHOLE;
        } catch (InterruptedException e) {
            return INTERRUPTED;
        } catch (IOException e) {
            return FAILED;
        } catch (RuntimeException | Error e) {
            unexpected.compareAndSet(null, e);
            return FAILED;
        }
    }
}
