package io.jenkins.plugins.compressionaware.report;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.Extension;
import hudson.ExtensionList;
import hudson.XmlFile;
import hudson.init.Terminator;
import java.io.File;
import java.io.IOException;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import java.util.logging.Logger;
import jenkins.model.Jenkins;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The running transfers of this Jenkins, and the totals of finished transfers, saved in one small file. A crash loses the totals of the last minute.
 * Thread-safe.
 */
@Extension
@Restricted(NoExternalUse.class)
public final class TransferRegistry extends TransferListener {
    private static final Logger LOGGER = Logger.getLogger(TransferRegistry.class.getName());

    /** Seconds between a transfer and writing the file. Further transfers in this time share the write. */
    private static final int SAVE_AFTER = 60;

    private final Map<TransferInfo, TransferProgress> running = Collections.synchronizedMap(new IdentityHashMap<>());
    private final AtomicBoolean saving = new AtomicBoolean();
    private final Object writing = new Object();

    /** Codecs that did not load in an agent's last transfer, by name of an existing agent. Not saved. */
    private final Map<String, String> unavailableCodecs = new ConcurrentHashMap<>();

    @GuardedBy("this")
    private RollingTotals totals;

    public static TransferRegistry get() {
        return ExtensionList.lookupSingleton(TransferRegistry.class);
    }

    @Override
    public void started(TransferProgress transfer) {
        running.put(transfer.transfer(), transfer);
    }

    @Override
    public void completed(TransferInfo transfer, TransferResult result) {
        updateUnavailableCodecs(transfer, result.unavailableCodecs);
        finished(transfer, result);
    }

    private void updateUnavailableCodecs(TransferInfo transfer, @CheckForNull String unavailable) {
        if (unavailable != null) {
            pruneRemovedAgents();
            unavailableCodecs.put(transfer.agent(), unavailable);
        } else if (!transfer.operation().isToAgent()) { // a transfer to an agent uses only available codecs
            unavailableCodecs.remove(transfer.agent());
        }
    }

    /** Returns the codecs that did not load, with reasons, in one line per agent. */
    public Map<String, String> unavailableCodecs() {
        pruneRemovedAgents();
        return new TreeMap<>(unavailableCodecs);
    }

    private void pruneRemovedAgents() {
        unavailableCodecs.keySet().removeIf(agent -> Jenkins.get().getComputer(agent) == null);
    }

    @Override
    public void failed(TransferInfo transfer, TransferResult result, Throwable failure) {
        finished(transfer, result);
    }

    private void finished(TransferInfo transfer, TransferResult result) {
        running.remove(transfer);
        add(transfer.agent(), transfer.job(), transfer.build(), new TransferTotals(result));
    }

    @Override
    public void deduplicated(String job, long bytes) {
        add("", job, 0, new TransferTotals(bytes));
    }

    private void add(String agent, String job, int build, TransferTotals one) {
        totals().add(agent, job, build, one, System.currentTimeMillis());
        if (saving.compareAndSet(false, true)) {
            // if no thread is available, the next transfer schedules the save
            DelayedExecutor.schedule(SAVE_AFTER, this::save, () -> saving.set(false));
        }
    }

    /** Returns the running transfers, oldest first. */
    public List<TransferProgress> running() {
        synchronized (running) {
            return running.values().stream()
                    .sorted(Comparator.comparingLong(TransferProgress::startMillis))
                    .toList();
        }
    }

    public synchronized RollingTotals totals() {
        if (totals == null) {
            totals = load();
        }
        return totals;
    }

    public void clear() {
        synchronized (this) {
            totals = new RollingTotals();
        }
        save();
    }

    private static RollingTotals load() {
        XmlFile file = file();
        try {
            if (file.exists() && file.read() instanceof RollingTotals saved && saved.isWhole()) {
                return saved;
            }
        } catch (IOException | RuntimeException e) {
            LOGGER.log(Level.WARNING, "Cannot read the totals of earlier transfers, starting from zero: " + file, e);
        }
        return new RollingTotals();
    }

    public void save() {
        // before the write, so that a concurrent transfer schedules another save
        saving.set(false);
        synchronized (writing) {
            XmlFile file = file();
            try {
                file.write(totals());
            } catch (IOException e) {
                LOGGER.log(Level.WARNING, "Cannot save the totals of all transfers: " + file, e);
            }
        }
    }

    private static XmlFile file() {
        File home = Jenkins.get().getRootDir();
        return new XmlFile(Jenkins.XSTREAM2, new File(home, "compression-aware-artifacts/transfers.xml"));
    }

    @Terminator
    public static void saveOnShutdown() {
        TransferRegistry transfers = get();
        if (transfers.saving.get()) {
            transfers.save();
        }
    }
}
