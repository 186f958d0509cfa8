package io.jenkins.plugins.compressionaware.overview;

import hudson.Extension;
import hudson.ExtensionList;
import hudson.XmlFile;
import hudson.init.Terminator;
import hudson.model.Computer;
import io.jenkins.plugins.compressionaware.codec.CodecProbe;
import io.jenkins.plugins.compressionaware.report.LogLine;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.Transfer;
import io.jenkins.plugins.compressionaware.report.TransferListener;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import java.io.IOException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import jenkins.model.Jenkins;
import jenkins.util.Timer;

/**
 * All transfers of this Jenkins: those that run, and sums of those that are over, which are kept in one small file. A crash takes what the last
 * minute has added.
 */
@Extension
public final class Transfers extends TransferListener {
    private static final Logger LOGGER = Logger.getLogger(Transfers.class.getName());

    /** Seconds from a transfer until the file is written, once for all transfers in between. */
    private static final int SAVE_AFTER = 60;

    private final Map<Object, RunningTransfer> running = Collections.synchronizedMap(new IdentityHashMap<>());
    private final AtomicBoolean saving = new AtomicBoolean();
    private final Object writing = new Object();

    /** Of agents: codecs that did not load there, in the words of the agent. Since the start of this JVM. */
    private final Map<String, String> lacking = new ConcurrentHashMap<>();

    private Ledger ledger;

    static Transfers get() {
        return ExtensionList.lookupSingleton(Transfers.class);
    }

    @Override
    public void started(RunningTransfer transfer) {
        running.put(transfer.transfer(), transfer);
    }

    @Override
    public void completed(TransferResult result) {
        learn(result.transfer(), result.sent().unusable());
        over(result);
    }

    private void learn(Transfer transfer, List<CodecProbe.Unusable> unusable) {
        if (transfer.kind().isToAgent()) {
            return;
        }
        if (unusable.isEmpty()) {
            lacking.remove(transfer.agent());
        } else if (lacking.size() < Slot.NAMES || lacking.containsKey(transfer.agent())) {
            lacking.put(
                    transfer.agent(),
                    LogLine.oneLine(unusable.stream()
                            .map(codec -> codec.codec().symbol() + ": " + codec.reason())
                            .collect(Collectors.joining("; "))));
        }
    }

    /** Name of the agent to codecs that did not load there, with the reason, in one line. */
    Map<String, String> lackingCodecs() {
        return new TreeMap<>(lacking);
    }

    @Override
    public void failed(TransferResult result) {
        over(result);
    }

    private void over(TransferResult result) {
        running.remove(result.transfer());
        ledger().add(result, System.currentTimeMillis());
        if (saving.compareAndSet(false, true)) {
            // the timer's few threads are no place to wait for a disk
            Timer.get()
                    .schedule(() -> Computer.threadPoolForRemoting.execute(this::save), SAVE_AFTER, TimeUnit.SECONDS);
        }
    }

    /** Oldest first. */
    List<RunningTransfer> running() {
        synchronized (running) {
            return running.values().stream()
                    .sorted((a, b) -> Long.compare(a.startMillis(), b.startMillis()))
                    .toList();
        }
    }

    synchronized Ledger ledger() {
        if (ledger == null) {
            ledger = load();
        }
        return ledger;
    }

    /** Forgets what is over. */
    void clear() {
        synchronized (this) {
            ledger = new Ledger();
        }
        save();
    }

    private static Ledger load() {
        XmlFile file = file();
        try {
            if (file.exists() && file.read() instanceof Ledger saved && saved.isWhole()) {
                return saved;
            }
        } catch (IOException | RuntimeException e) {
            LOGGER.log(Level.WARNING, "Cannot read the sums of earlier transfers, begins anew: " + file, e);
        }
        return new Ledger();
    }

    void save() {
        // first: what is added from now on asks for another
        saving.set(false);
        synchronized (writing) {
            XmlFile file = file();
            try {
                file.write(ledger().copy());
            } catch (IOException e) {
                LOGGER.log(Level.WARNING, "Cannot save the sums of all transfers: " + file, e);
            }
        }
    }

    private static XmlFile file() {
        return new XmlFile(
                Jenkins.XSTREAM2,
                Jenkins.get()
                        .getRootDir()
                        .toPath()
                        .resolve("compression-aware-artifacts")
                        .resolve("transfers.xml")
                        .toFile());
    }

    /** A restart takes nothing. */
    @Terminator
    public static void saveLast() {
        Transfers transfers = get();
        if (transfers.saving.get()) {
            transfers.save();
        }
    }
}
