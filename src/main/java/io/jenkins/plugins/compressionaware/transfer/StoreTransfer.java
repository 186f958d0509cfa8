package io.jenkins.plugins.compressionaware.transfer;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.FilePath;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.agent.FileSelection;
import io.jenkins.plugins.compressionaware.agent.StoreUploadCallable;
import io.jenkins.plugins.compressionaware.config.EffectiveSettings;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.engine.codec.CodecLibrary;
import io.jenkins.plugins.compressionaware.engine.flow.Figures;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.run.AgentEnd;
import io.jenkins.plugins.compressionaware.engine.send.StoreSender;
import io.jenkins.plugins.compressionaware.engine.store.StoreUpload;
import io.jenkins.plugins.compressionaware.provisioning.AgentInfo;
import io.jenkins.plugins.compressionaware.provisioning.AgentJar;
import io.jenkins.plugins.compressionaware.provisioning.CodecDelivery;
import io.jenkins.plugins.compressionaware.report.KnownFailureException;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.store.ObjectStores;
import io.jenkins.plugins.compressionaware.store.S3Store;
import io.jenkins.plugins.compressionaware.store.UploadSession;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Uploads an archive or a stash from an agent to a store. The agent stores the bytes itself; the controller signs its requests, and keeps a record of the
 * object.
 *
 * @param upload names the transfer
 * @param store  to which the agent sends the files
 */
@Restricted(NoExternalUse.class)
public record StoreTransfer(UploadTransfer upload, S3Store store) {
    /** Must be called before files are stored. Fails if an agent has them, and a folder chooses a store that does not exist. */
    public static void requireStore(EffectiveSettings settings, FilePath workspace) throws KnownFailureException {
        if (settings.storeProblem() != null && workspace.isRemote()) {
            throw new KnownFailureException("the-folder-chooses-the-store", settings.storeProblem());
        }
    }

    /** Uploads files as artifacts of a build, all or none. */
    public TransferResult archive(Map<String, String> files, Path archive, TransferSettings settings)
            throws IOException, InterruptedException {
        return run(
                FileSelection.ByName.of(files),
                files.keySet(),
                settings,
                archive::getParent,
                (session, record, count) -> session.packedEnd().commit(archive, StartupCleanup.journal(), record));
    }

    /** Saves what is known about a complete object. */
    @FunctionalInterface
    public interface Saving {
        void save(UploadSession session, StoredRecord record, int files) throws IOException, InterruptedException;
    }

    /**
     * Uploads files.
     *
     * @param names  names of the files as artifacts; null for a stash
     * @param build  returns the folder of the build
     * @param saving checks the number of files, and saves the record
     */
    public TransferResult run(
            FileSelection files,
            @CheckForNull Collection<String> names,
            TransferSettings settings,
            Supplier<Path> build,
            Saving saving)
            throws IOException, InterruptedException {
        return upload.run(settings, StashCodecs::of, null, shared -> {
            shared.running().setStore(store.location().name());
            return shared.connection().retry(() -> runOnce(shared, files, names, build, saving));
        });
    }

    /** Stores a new object, because an agent may have lost the tags of parts with its connection. */
    private TransferResult runOnce(
            Upload shared,
            FileSelection selected,
            @CheckForNull Collection<String> names,
            Supplier<Path> build,
            Saving saving)
            throws IOException, InterruptedException {
        RunningTransfer running = shared.running();
        UploadSession session = running.disk()
                .open(() -> new UploadSession(
                        ObjectStores.of(store.location()),
                        store.keyPrefix(),
                        names,
                        shared.options().blockSize(),
                        StoreCleanup.journal(),
                        running::addDirectBytes));
        // after a task that hangs on the disk, which may still save the record
        try (Closeable cleanup = () -> running.disk().runCleanup(() -> StoreCleanup.end(session, build.get()))) {
            StoreSender.Stored stored = send(shared, session, selected, names != null);
            running.setState(AgentEnd.WAITS_FOR_STORE);
            StoredRecord record = running.disk().call(() -> session.complete(stored.tags(), stored.files()));
            running.setState(AgentEnd.UNKNOWN);
            Figures sent = stored.report().figures();
            int count = names == null ? sent.entries() : names.size();
            running.disk().call(() -> {
                session.commit(build.get());
                saving.save(session, record, count);
                return null;
            });
            running.storedParts(stored.requests());
            long files = record.files().stream().mapToLong(StoredRecord::length).sum();
            long wire = record.length() + files;
            running.recordStored(wire);
            // no bytes arrive here, so only the length of the tar is the controller's own figure
            long raw = session.packedEnd().rawBytes() + files;
            long content = Math.max(0, Math.min(sent.contentBytes(), raw));
            return running.completed(stored.report(), ReceiveReport.of(Figures.counts(count, content, raw, wire, 0)));
        }
    }

    /** Returns whether an agent reads a file from its store itself, and can decode it. */
    public static boolean agentReads(FilePath workspace, FrameFile file) throws IOException, InterruptedException {
        boolean reads = file.stored() != null;
        if (reads) {
            AgentJar.STORE.preload(workspace.getChannel());
        }
        for (CodecLibrary library : reads ? file.libraries() : Set.<CodecLibrary>of()) {
            AgentInfo facts = AgentInfo.of(workspace.getChannel());
            reads &= CodecDelivery.deliver(workspace.getChannel(), facts.platform(), library) == null;
        }
        return reads;
    }

    private StoreSender.Stored send(Upload shared, UploadSession session, FileSelection files, boolean isArchive)
            throws IOException, InterruptedException {
        FilePath workspace = shared.workspace();
        RunningTransfer running = shared.running();
        VirtualChannel channel = workspace.getChannel();
        AgentJar.STORE.preload(channel);
        AgentInfo facts = AgentInfo.of(channel);
        running.setLink(facts.roundTrip().nanos(), 0);
        EngineSession.deliver(shared, true, facts.platform());
        long id = SilenceLimit.newId();
        StoreUpload exported = channel.export(StoreUpload.class, session);
        StoreUploadCallable callable = new StoreUploadCallable(
                files, shared.options(), exported, store.location().checksum(), isArchive, id);
        try (AgentCall<StoreSender.Stored> call =
                AgentCall.start(workspace, callable, failure -> shared.explain(AgentCall.describe(failure)), id)) {
            shared.connection().identify();
            call.limit(new SilenceLimit(running, channel, id, () -> false, Long.MAX_VALUE)
                    .follow(bytes -> {}, running::setState));
            StoreSender.Stored stored = call.report();
            if (stored.report() == null || stored.requests() == null) {
                throw new IOException("The agent sent no report");
            }
            return stored;
        }
    }
}
