package io.jenkins.plugins.compressionaware.report;

import java.util.List;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;

/** The listeners of a transfer. A listener that fails affects neither the others nor the transfer. */
record ListenerList(List<TransferListener> all) {
    private static final Logger LOGGER = Logger.getLogger(RunningTransfer.class.getName());

    void each(Consumer<TransferListener> event) {
        for (int i = 0; i < all.size(); i++) { // an iterator needs memory
            try {
                event.accept(all.get(i));
            } catch (Throwable e) { // errors of other plugins must not fail the transfer
                log(Level.WARNING, "A listener failed: ", all.get(i).getClass(), e);
            }
        }
    }

    /** Logs an error; if the heap is full, drops it. */
    static void log(Level level, String message, Object subject, Throwable e) {
        try {
            LOGGER.log(level, e, () -> message + subject);
        } catch (Throwable full) {
            return;
        }
    }
}
