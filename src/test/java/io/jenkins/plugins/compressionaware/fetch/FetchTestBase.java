package io.jenkins.plugins.compressionaware.fetch;

import hudson.model.FreeStyleProject;
import hudson.model.Run;
import hudson.model.Slave;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferListener;
import io.jenkins.plugins.compressionaware.report.TransferProgress;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import io.jenkins.plugins.compressionaware.testing.jenkins.RecordingTransferListener;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;

/** Prepares a job with artifacts, and an agent that fetches them. */
abstract class FetchTestBase extends JenkinsTestBase {
    Slave agent;
    FreeStyleProject source;
    RecordingTransferListener recorder;

    final void start(InboundTransport kind) throws Exception {
        agent = kind.start(agents, r);
        source = r.createFreeStyleProject("source");
        recorder = RecordingTransferListener.listen();
    }

    /** Creates a build, and returns its empty archive. */
    final Path emptyArchive() throws Exception {
        Run<?, ?> build = r.buildAndAssertSuccess(source);
        return Files.createDirectories(archiveOf(build));
    }

    /** Creates a build with {@code one.txt} and {@code lib/two.txt}, and returns its archive. */
    final Path archiveOfTwoFiles() throws Exception {
        Path archive = emptyArchive();
        Files.writeString(archive.resolve("one.txt"), "1");
        Files.writeString(Files.createDirectory(archive.resolve("lib")).resolve("two.txt"), "2");
        return archive;
    }

    /** Runs a scripted Pipeline on the agent. A declarative Pipeline names its own agent. */
    final WorkflowRun run(String script) throws Exception {
        String body = script.startsWith("pipeline") ? script : "node('" + agent.getNodeName() + "') {" + script + "}";
        return pipeline(body).scheduleBuild2(0).get();
    }

    /** Returns the number of completed fetches since the last call. */
    final int fetched() {
        int fetched = (int) recorder.completed.stream()
                .filter(one -> one.operation == TransferInfo.Operation.FETCH)
                .count();
        recorder.completed.clear();
        return fetched;
    }

    final Map<String, String> workspace(WorkflowRun build) throws IOException {
        return FileTrees.describe(
                Path.of(agent.getWorkspaceFor(build.getParent()).getRemote()));
    }

    /** Returns the folder of packed artifacts. */
    final Path packed() {
        return r.jenkins.getRootDir().toPath().resolve("compression-aware-artifacts/packed");
    }

    interface Change {
        void make() throws Exception;
    }

    /** Makes a change when a transfer starts: all files are selected, none is read. */
    static final class ChangeAtStart extends TransferListener {
        private final Change change;
        volatile boolean called;

        private ChangeAtStart(Change change) {
            this.change = change;
        }

        @Override
        public void started(TransferProgress transfer) {
            called = true;
            try {
                change.make();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    final ChangeAtStart changeAtStart(Change change) {
        ChangeAtStart listener = new ChangeAtStart(change);
        r.jenkins.getExtensionList(TransferListener.class).add(listener);
        return listener;
    }
}
