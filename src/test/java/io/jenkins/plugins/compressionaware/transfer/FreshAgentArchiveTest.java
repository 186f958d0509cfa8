package io.jenkins.plugins.compressionaware.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.FilePath;
import hudson.model.Slave;
import hudson.model.TaskListener;
import hudson.remoting.Channel;
import io.jenkins.plugins.compressionaware.agent.BootstrapArchiveCallable;
import io.jenkins.plugins.compressionaware.agent.WorkspaceIdentityCallable;
import io.jenkins.plugins.compressionaware.engine.flow.HeapBudget;
import io.jenkins.plugins.compressionaware.engine.tar.TarHeader;
import io.jenkins.plugins.compressionaware.provisioning.AgentInfo;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.report.TransferResults;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.io.Closeable;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** First archives of an agent that has not loaded any class of the plugin. */
class FreshAgentArchiveTest extends JenkinsTestBase {
    @TempDir
    Path temp;

    private int archives;

    private TransferResult assertArrives(Slave agent, Path workspace) throws Exception {
        // the clock never advances, so that only sizes decide when the engine is loaded
        return assertArrives(agent, workspace, () -> 0);
    }

    private TransferResult assertArrives(Slave agent, Path workspace, LongSupplier clock) throws Exception {
        Path archive = temp.resolve("archive" + archives++);
        UploadTransfer transfer = new UploadTransfer(
                new FilePath(agent.getChannel(), workspace.toString()),
                TaskListener.NULL.getLogger(),
                TransferResults.running(TransferInfo.Operation.ARCHIVE),
                clock);
        TransferResult result = Transfers.archive(transfer, FileTrees.names(workspace), archive);
        assertEquals(FileTrees.describe(workspace), FileTrees.describe(archive));
        return result;
    }

    private boolean hasEngine(Slave agent) {
        return AgentInfo.hasEngine(agent.getChannel());
    }

    @ParameterizedTest
    @EnumSource(InboundTransport.class)
    void smallArchiveNeedsThreeClassesOnTheAgent(InboundTransport transport) throws Exception {
        Path classes = temp.resolve("classes");
        Slave agent = transport.start(agents, r, "-Xlog:class+load:file=" + classes);
        Path workspace = temp.resolve("workspace");
        FileTrees.noise(workspace.resolve("a/tiny"), 5_000);
        FileTrees.noise(workspace.resolve("empty"), 0);
        String longName = "n".repeat(120);
        FileTrees.noise(workspace.resolve(longName), 1);
        // names whose first hundred bytes, the limit of a header, end with a slash or inside a character
        FileTrees.noise(workspace.resolve("d".repeat(99) + "/file"), 1);
        FileTrees.noise(workspace.resolve("u".repeat(99) + "\u00fc"), 1);
        Files.createSymbolicLink(workspace.resolve("link"), Path.of("a/tiny"));
        Files.createSymbolicLink(workspace.resolve("link to long"), Path.of(longName));
        assertArrives(agent, workspace);
        assertEquals(
                List.of(
                        BootstrapArchiveCallable.class.getName() + " of a jar",
                        BootstrapArchiveCallable.class.getPackageName() + ".BootstrapFrames of a jar",
                        TarHeader.class.getName() + " of a jar"),
                pluginClasses(classes));
        assertEquals(0, HeapBudget.ofThisJvm().inUse());
    }

    /**
     * Returns the loaded classes of the plugin. A class that the agent requests itself has no jar as its source, and remoting then sends the plugin's whole
     * jar.
     */
    private static List<String> pluginClasses(Path log) throws IOException {
        try (Stream<String> lines = Files.lines(log)) {
            return lines.filter(line -> line.contains("io.jenkins.plugins.compressionaware.")
                            || line.contains("org.apache.commons.compress."))
                    // only in a transfer of more than a second
                    .filter(line -> !line.contains(WorkspaceIdentityCallable.class.getSimpleName()))
                    .map(line ->
                            line.replaceAll(".*((io\\.jenkins|org\\.apache)[\\w.$]*) source: .*\\.jar$", "$1 of a jar"))
                    .toList();
        }
    }

    @Test
    void largerArchiveTakesSeveralCalls() throws Exception {
        Slave agent = InboundTransport.TCP.start(agents, r);
        Path workspace = temp.resolve("workspace");
        for (int i = 0; i < 60; i++) {
            FileTrees.noise(workspace.resolve("noise" + i), 100_000 + i);
        }
        TransferResult result = assertArrives(agent, workspace);
        assertEquals(60, result.files);
        long tar = result.codecs.stream().mapToLong(codec -> codec.rawBytes).sum();
        assertTrue(tar > result.rawBytes + 60 * 512, "the codecs saw " + tar + " of a tar of " + result.rawBytes);
        assertFalse(hasEngine(agent), "6 MB do not need the engine");
    }

    /** Hundreds of builds may share the heap, and loading the engine would cost each of them more. */
    @Test
    void exhaustedHeapDoesNotLoadEngine() throws Exception {
        Slave agent = InboundTransport.TCP.start(agents, r);
        Path workspace = temp.resolve("workspace");
        for (int i = 0; i < 60; i++) {
            FileTrees.noise(workspace.resolve("noise" + i), 10_000 + i);
        }
        HeapBudget budget = HeapBudget.ofThisJvm();
        try (Closeable others = budget.open(budget.limit(), 0)) {
            assertArrives(agent, workspace);
        }
        assertFalse(hasEngine(agent));
    }

    @ParameterizedTest
    @EnumSource(InboundTransport.class)
    void engineSendsRestOfLargeArchive(InboundTransport transport) throws Exception {
        Slave agent = transport.start(agents, r);
        Path workspace = temp.resolve("workspace");
        // too few bytes for the engine by their sizes; the clock makes it due after the first call
        for (int i = 0; i < 30; i++) {
            FileTrees.noise(workspace.resolve("noise" + i), 500_000 + i);
        }
        AtomicLong clock = new AtomicLong();
        TransferResult result = assertArrives(agent, workspace, () -> clock.addAndGet(TimeUnit.SECONDS.toNanos(1)));
        assertTrue(hasEngine(agent));
        assertEquals(30, result.files);
        assertTrue(result.wireBytes > 15_000_000, "both parts count");
        assertTrue(result.codecs.size() > 1, "the calls' gzip, and the engine's choice");
        assertEquals(0, HeapBudget.ofThisJvm().inUse());
    }

    /** Megabytes of text, or thousands of almost empty files. */
    @ParameterizedTest
    @CsvSource({"22, 1000000, true", "15, 1000000, false", "2100, 5, false", "30000, 5, true"})
    void engineStartsAtOnceForManyBytesOrNames(int files, int bytes, boolean engine) throws Exception {
        Slave agent = InboundTransport.TCP.start(agents, r);
        Path workspace = temp.resolve("workspace");
        for (int i = 0; i < files; i++) {
            FileTrees.write(workspace, "d" + i / 100 + "/f" + i, "text ".repeat(bytes / 5));
        }
        assertArrives(agent, workspace);
        assertEquals(engine, hasEngine(agent));
    }

    /** Repeats often, because garbage collection may release a few objects by chance. */
    @Test
    void repeatedArchivesLeaveNoExportedObjects() throws Exception {
        Slave agent = InboundTransport.TCP.start(agents, r);
        Path workspace = temp.resolve("workspace");
        for (int i = 0; i < 10; i++) {
            FileTrees.noise(workspace.resolve("noise" + i), 20_000 + i);
        }
        assertArrives(agent, workspace);
        int before = exports(agent);
        for (int i = 0; i < 20; i++) {
            assertArrives(agent, workspace);
        }
        assertFalse(hasEngine(agent));
        assertTrue(exports(agent) <= before + 2, exports(agent) + " instead of " + before);
    }

    private static int exports(Slave agent) throws IOException {
        StringWriter table = new StringWriter();
        try (PrintWriter out = new PrintWriter(table)) {
            ((Channel) agent.getChannel()).dumpExportTable(out);
        }
        return (int) table.toString().lines().count();
    }
}
