package io.jenkins.plugins.compressionaware;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import hudson.FilePath;
import hudson.model.Result;
import hudson.remoting.VirtualChannel;
import hudson.slaves.DumbSlave;
import hudson.slaves.JNLPLauncher;
import hudson.slaves.SlaveComputer;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import jenkins.MasterToSlaveFileCallable;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.jvnet.hudson.test.JenkinsRule;

/**
 * Archives, stashes and fetches on agents of other architectures and systems. The environment variable {@code OTHER_MACHINES} names a folder with a subfolder
 * per agent that contains a program {@code java}; see {@code scripts/other-machines}.
 */
@Timeout(1800)
class OtherMachinesTest extends JenkinsTestBase {
    /** Names that another file system cannot store, cannot distinguish, or resolves to a path outside. */
    private static final List<String> UNUSUAL_NAMES = List.of(
            ("nul|aux.txt|com1|dot.|space |a:b|C:evil|back\\slash|..\\evil|\\evil|what?|star*|" + "x".repeat(250))
                    .split("\\|"));

    private static final String UNICODE = "\u00fc \u65e5\u672c";

    @TempDir
    private Path tmp;

    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void endAgents() {
        for (Process agent : processes) {
            agent.descendants().forEach(ProcessHandle::destroyForcibly);
            agent.destroyForcibly();
        }
    }

    /** Creates the files of a workspace, some only if the file system supports them. */
    private static final class Fill extends MasterToSlaveFileCallable<Void> {
        private static final long serialVersionUID = 1;

        @Override
        public Void invoke(File folder, VirtualChannel channel) throws IOException {
            Path root = folder.toPath();
            write(root, "noise.bin", FileTrees.noise(700_000));
            write(root, "text.txt", "the quick brown fox\n".repeat(50_000).getBytes());
            write(root, "empty", new byte[0]);
            write(root, "UPPER/Lower.TXT", new byte[] {1});
            write(root, "with  spaces/and;+&'.txt", new byte[] {2});
            write(root, (("a".repeat(30) + "/").repeat(9)) + "beyond 260 characters", new byte[] {3});
            write(root, "read only", new byte[] {4});
            Files.setLastModifiedTime(
                    root.resolve("read only"), java.nio.file.attribute.FileTime.fromMillis(1_000_000));
            assertTrue(root.resolve("read only").toFile().setReadOnly());
            for (int i = 0; i < 500; i++) {
                write(root, "many/" + i % 7 + "/" + i, new byte[] {(byte) i});
            }
            for (String name : UNUSUAL_NAMES) {
                // Jenkins lists this name as a folder
                if (!name.contains("\\")) {
                    tryToWrite(root, "odd/" + name);
                }
            }
            tryToWrite(root, UNICODE);
            try {
                Files.createSymbolicLink(root.resolve("link"), Path.of("text.txt"));
            } catch (IOException | UnsupportedOperationException e) {
                // Windows without the privilege
            }
            if (File.separatorChar == '\\') {
                tryToCreateJunction(folder);
            }
            return null;
        }

        /** Creates a junction, which needs no privilege and is read as a folder. */
        private static void tryToCreateJunction(File root) throws IOException {
            Process process = new ProcessBuilder("cmd", "/c", "mklink", "/J", "junction", "many")
                    .directory(root)
                    .redirectErrorStream(true)
                    .start();
            process.getOutputStream().close();
            process.getInputStream().transferTo(OutputStream.nullOutputStream());
        }

        private static void tryToWrite(Path root, String name) {
            try {
                write(root, name, name.getBytes());
            } catch (IOException | InvalidPathException e) {
                // the file system cannot store this name
            }
        }

        private static void write(Path root, String name, byte[] content) throws IOException {
            Path file = root.resolve(name);
            Files.createDirectories(file.getParent());
            Files.write(file, content);
        }
    }

    private static final class Describe extends MasterToSlaveFileCallable<HashMap<String, String>> {
        private static final long serialVersionUID = 1;

        @Override
        public HashMap<String, String> invoke(File folder, VirtualChannel channel) throws IOException {
            HashMap<String, String> tree = new HashMap<>();
            FileTrees.describe(folder.toPath())
                    .forEach((name, description) -> tree.put(name.replace(File.separatorChar, '/'), description));
            return tree;
        }
    }

    @Test
    void transfersKeepFilesOnOtherMachines() throws Exception {
        List<Path> machines = machines();
        assumeFalse(machines.isEmpty(), "OTHER_MACHINES names no agents");
        usePlugin();
        Map<String, String> wrong = new TreeMap<>();
        for (Path machine : machines) {
            String name = machine.getFileName().toString();
            try {
                transferInBothDirections(start(name, machine.resolve("java")));
            } catch (Throwable e) {
                wrong.put(name, e.toString());
            }
        }
        assertEquals(Collections.emptyMap(), wrong);
    }

    private static List<Path> machines() throws IOException {
        String folder = System.getenv("OTHER_MACHINES");
        if (folder == null) {
            return List.of();
        }
        try (Stream<Path> all = Files.list(Path.of(folder))) {
            return all.filter(machine -> Files.isExecutable(machine.resolve("java")))
                    .sorted()
                    .toList();
        }
    }

    private DumbSlave start(String name, Path java) throws Exception {
        Path home = Files.createDirectory(tmp.resolve(name));
        Files.write(
                home.resolve("agent.jar"), r.jenkins.getJnlpJars("agent.jar").readFully());
        String remote =
                java.getParent().endsWith("windows") ? "Z:" + home.toString().replace('/', '\\') : home.toString();
        r.jenkins.addNode(new DumbSlave(name, remote, new JNLPLauncher(true)));
        DumbSlave agent = (DumbSlave) r.jenkins.getNode(name);
        SlaveComputer computer = (SlaveComputer) agent.toComputer();
        String connect = "-Dfile.encoding=UTF-8 -jar agent.jar -webSocket -url " + r.getURL() + " -name " + name
                + " -secret " + computer.getJnlpMac();
        List<String> command = new ArrayList<>(List.of(java.toString()));
        command.addAll(List.of(connect.split(" ")));
        command.addAll(List.of("-workDir", remote));
        ProcessBuilder process = new ProcessBuilder(command);
        process.directory(home.toFile())
                .redirectErrorStream(true)
                .redirectOutput(home.resolve("log").toFile())
                .environment()
                .put("LC_ALL", "C.UTF-8");
        processes.add(process.start());
        r.waitOnline(agent);
        return agent;
    }

    private void transferInBothDirections(DumbSlave agent) throws Exception {
        FilePath home = agent.getRootPath();
        FilePath from = home.child("workspace/from");
        from.mkdirs();
        from.act(new Fill());
        Map<String, String> expected = from.act(new Describe());
        assertTrue(expected.size() > 500, expected.size() + " files");
        System.out.println(agent.getNodeName()
                + (expected.containsKey("link") ? " has links, " : " has no links, ")
                + (expected.containsKey("junction/0/0") ? "has junctions" : "has no junctions"));
        WorkflowRun build = run(agent, Result.SUCCESS, """
            ws('workspace/from') {
                archiveArtifacts artifacts: '**', defaultExcludes: false
                stash name: 'all', useDefaultExcludes: false
                stash name: 'one', includes: 'empty, UPPER/**'
            }
            ws('workspace/to') { unstash 'all'; unstash 'all' }
            ws('workspace/one') { unstash 'one' }
            ws('workspace/fetched') { fetchArtifacts projectName: env.JOB_NAME, selector: specific(env.BUILD_NUMBER) }
            """);
        assertEquals(expected.keySet(), FileTrees.describe(archiveOf(build)).keySet());
        assertEquals(expected, home.child("workspace/to").act(new Describe()));
        assertEquals(expected, home.child("workspace/fetched").act(new Describe()));
        assertEquals(3, home.child("workspace/one").act(new Describe()).size());
        unstashUnusualNames(agent);
        replaceLockedFile(agent);
        List<FilePath> left = home.list();
        assertTrue(left.stream().noneMatch(file -> file.getName().contains("evil")), left.toString());
        assertTrue(
                home.child("workspace").list().stream()
                        .noneMatch(file -> file.getName().contains("evil")),
                left.toString());
    }

    /** Each name is extracted, or the step fails with the name and extracts no file. */
    private void unstashUnusualNames(DumbSlave agent) throws Exception {
        FilePath target = agent.getRootPath().child("workspace/odd");
        StringBuilder report = new StringBuilder();
        List<String> names = new ArrayList<>(UNUSUAL_NAMES);
        names.add(UNICODE);
        for (String name : names) {
            WorkflowJob job = pipeline("node('built-in') { dir('" + name.length()
                    + "') { stash name: 's', useDefaultExcludes: false } }\n" + "node('" + agent.getNodeName()
                    + "') { ws('workspace/odd') { deleteDir(); unstash 's' } }");
            Path folder = Path.of(r.jenkins.getWorkspaceFor(job).getRemote(), String.valueOf(name.length()));
            Files.createDirectories(folder);
            Files.writeString(folder.resolve(name), name);
            WorkflowRun build = job.scheduleBuild2(0).get();
            Map<String, String> extracted = target.act(new Describe());
            extracted.values().remove("folder");
            String log = JenkinsRule.getLog(build);
            report.append(name)
                    .append(": ")
                    .append(build.getResult())
                    .append(' ')
                    .append(extracted.keySet())
                    .append('\n');
            if (build.getResult() == Result.SUCCESS) {
                assertEquals(1, extracted.size(), name + ": " + extracted + log);
            } else {
                assertEquals(Map.of(), extracted, name);
                assertTrue(log.contains(name), log);
            }
            assertEquals(name, Files.readString(folder.resolve(name)));
        }
        System.out.println(agent.getNodeName() + "\n" + report);
    }

    /** The step fails and names the file, which is unchanged. Files before it in a stash are extracted. */
    private void replaceLockedFile(DumbSlave agent) throws Exception {
        FilePath folder = agent.getRootPath().child("workspace/held");
        FilePath held = folder.child("held.lock");
        FilePath free = folder.child("free.txt");
        held.write("before", "UTF-8");
        free.write("before", "UTF-8");
        if (!held.act(new WindowsFileLock())) {
            return;
        }
        WorkflowRun archive = run(agent, Result.FAILURE, "ws('workspace/held') { archiveArtifacts '**' }");
        r.assertLogContains("held.lock", archive);
        assertEquals(List.of(), archive.getArtifacts());
        WorkflowRun unstash = run(agent, Result.FAILURE, """
            ws('workspace/new') {
                writeFile file: 'free.txt', text: 'after'
                writeFile file: 'held.lock', text: 'after'
                stash 's'
            }
            ws('workspace/held') { unstash 's' }
            """);
        r.assertLogContains("Cannot write held.lock: ", unstash);
        held.act(new WindowsFileLock());
        assertEquals("before", held.readToString());
        assertEquals("after", free.readToString());
        System.out.println("held open\n" + JenkinsRule.getLog(archive) + JenkinsRule.getLog(unstash));
    }

    private WorkflowRun run(DumbSlave agent, Result result, String script) throws Exception {
        return r.assertBuildStatus(
                result,
                pipeline("node('" + agent.getNodeName() + "') {" + script + "}").scheduleBuild2(0));
    }

    /** Opens a file so that no other program can open it, or closes the file again. Only Windows supports this. */
    private static final class WindowsFileLock extends MasterToSlaveFileCallable<Boolean> {
        private static final long serialVersionUID = 1;
        private static FileChannel held;

        @Override
        public Boolean invoke(File file, VirtualChannel channel) throws IOException {
            if (held != null) {
                held.close();
                held = null;
                return false;
            }
            try {
                // NOSHARE_READ and its siblings, which are not part of a standard API
                Object[] exclusively =
                        Class.forName("com.sun.nio.file.ExtendedOpenOption").getEnumConstants();
                Set<OpenOption> options = new HashSet<>(Set.of(StandardOpenOption.READ));
                Stream.of(exclusively).forEach(option -> options.add((OpenOption) option));
                held = FileChannel.open(file.toPath(), options);
                return true;
            } catch (ClassNotFoundException | UnsupportedOperationException e) {
                return false;
            }
        }
    }
}
