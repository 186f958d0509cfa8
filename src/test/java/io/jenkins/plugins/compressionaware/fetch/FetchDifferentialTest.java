package io.jenkins.plugins.compressionaware.fetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.Util;
import hudson.model.Result;
import hudson.tasks.Fingerprinter;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.testing.Command;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.RandomTree;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.jvnet.hudson.test.JenkinsRule;

/** Runs copyArtifacts and fetchArtifacts with the same parameters, and compares result, log, files and fingerprints. */
class FetchDifferentialTest extends FetchTestBase {
    private static final int RANDOM_TREES = 12;

    /** Result, log, files and fingerprints of a build. */
    private record Outcome(
            Result result, List<String> messages, Map<String, String> files, Map<String, String> fingerprints) {}

    @BeforeEach
    void start() throws Exception {
        start(InboundTransport.TCP);
    }

    @AfterEach
    void assertNoPackedFiles() throws IOException {
        assertEquals(Map.of(), FileTrees.describe(packed()));
    }

    private static void write(Path archive, String name, String mode, String when) throws IOException {
        Path file = FileTrees.write(archive, name, "content of " + name);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
        Files.setLastModifiedTime(file, FileTime.from(Instant.parse(when)));
    }

    private Path someArtifacts() throws Exception {
        Path archive = emptyArchive();
        write(archive, "one.txt", "rw-r--r--", "2001-02-03T04:05:06Z");
        write(archive, "lib/two.jar", "rwxr-x---", "2011-02-03T04:05:06Z");
        write(archive, "lib/.git/config", "rw-------", "2021-02-03T04:05:06Z");
        write(archive, "other/two.jar", "r--r--r--", "2031-02-03T04:05:06Z");
        Files.createSymbolicLink(archive.resolve("lib/link"), Path.of("two.jar"));
        Files.createSymbolicLink(archive.resolve("lib/dangling"), Path.of("nothing"));
        Files.createSymbolicLink(archive.resolve("folder-link"), Path.of("lib"));
        Files.createDirectories(archive.resolve("empty/folder"));
        return archive;
    }

    private Outcome outcome(String script) throws Exception {
        WorkflowRun build = run(script);
        List<String> messages = JenkinsRule.getLog(build)
                .lines()
                .filter(line -> line.startsWith("ERROR") || line.startsWith("says") || line.startsWith("Unable"))
                .toList();
        Fingerprinter.FingerprintAction prints = build.getAction(Fingerprinter.FingerprintAction.class);
        return new Outcome(
                build.getResult(), messages, workspace(build), prints == null ? Map.of() : prints.getRecords());
    }

    /** Runs a script with each of the two steps. */
    private Outcome assertSame(String script) throws Exception {
        Outcome copied = outcome(script);
        assertEquals(List.of(), recorder.started);
        Outcome fetched = outcome(script.replace("copyArtifacts", "fetchArtifacts"));
        assertEquals(copied, fetched, script);
        return fetched;
    }

    private void assertSame(Result result, String script) throws Exception {
        assertEquals(result, assertSame(script).result(), script);
    }

    private void assertSameAndFetched(String script) throws Exception {
        assertSame(Result.SUCCESS, script);
        assertTrue(recorder.completed.stream().anyMatch(one -> one.operation == TransferInfo.Operation.FETCH), script);
        recorder.started.clear();
        recorder.completed.clear();
    }

    @Test
    void parametersMatchCopyArtifacts() throws Exception {
        someArtifacts();
        assertSameAndFetched("copyArtifacts 'source'");
        assertSameAndFetched("copyArtifacts projectName: 'source', filter: '**/*.jar, one.txt', excludes: 'other/**'");
        assertSameAndFetched("copyArtifacts projectName: '/source', flatten: true");
        assertSameAndFetched("copyArtifacts projectName: 'source', flatten: true, filter: '**/two.jar', target: 'a/b'");
        assertSameAndFetched(
                "withEnv(['T=in/there', 'F=one.*']) { copyArtifacts projectName: 'source', target: env.T, filter:"
                        + " env.F }");
        assertSameAndFetched("dir('sub') { copyArtifacts projectName: 'source', target: '../beside' }");
        assertSameAndFetched("copyArtifacts projectName: 'source', target: 't', includeBuildNumberInTargetPath: true");
        assertSameAndFetched("copyArtifacts projectName: 'source', fingerprintArtifacts: true");
        assertSameAndFetched("copyArtifacts projectName: 'source', selector: lastCompleted(), optional: true");
        assertSameAndFetched("copyArtifacts projectName: 'source', selector: specific('1'), filter: 'lib\\\\**'");
        assertSameAndFetched(
                "sh 'mkdir lib; echo old > lib/two.jar; touch -d 2001-02-03 lib/stays'; copyArtifacts 'source'");
    }

    /** A selector in a parameter selects only the build, even if it provides artifacts from elsewhere. */
    @Test
    void selectorInParameterSelectsBuildOnly() throws Exception {
        someArtifacts();
        source.getSomeWorkspace().child("one.txt").write("of the workspace", null);
        assertSameAndFetched(
                "copyArtifacts projectName: 'source', selector: buildParameter('<StatusBuildSelector/>'), filter: '*'");
        assertSameAndFetched("copyArtifacts projectName: 'source', selector: buildParameter('<WorkspaceSelector/>')");
        assertSameAndFetched("copyArtifacts projectName: 'source', selector: upstream(fallbackToLastSuccessful: true)");
        assertSameAndFetched("copyArtifacts projectName: 'source', selector: permalink('lastBuild')");
    }

    @Test
    void workspaceSelectorIsNotFetched() throws Exception {
        someArtifacts();
        source.getSomeWorkspace().child("one.txt").write("of the workspace", null);
        assertSame(Result.SUCCESS, "copyArtifacts projectName: 'source', selector: workspace()");
        assertSame(Result.FAILURE, "copyArtifacts projectName: 'source', selector: workspace(), filter: 'lib/**'");
        assertEquals(List.of(), recorder.started);
    }

    @Test
    void fetchFollowsLinkToFolder() throws Exception {
        Path archive = someArtifacts();
        String linked = "sh 'mkdir -p real/lib; ln -s real deps'; ";
        assertSameAndFetched(linked + "copyArtifacts projectName: 'source', target: 'deps'");
        assertSameAndFetched(linked + "dir('deps') { copyArtifacts 'source' }");
        // enough bytes for the engine
        Files.write(archive.resolve("large"), FileTrees.noise(3_000_000));
        assertSameAndFetched(linked + "copyArtifacts projectName: 'source', target: 'deps'");
    }

    /** Writes to the file to which each link leads. */
    @Test
    void fetchWritesThroughExistingLinks() throws Exception {
        Path archive = emptyArchive();
        write(archive, "one.txt", "rw-r-----", "2001-02-03T04:05:06Z");
        write(archive, "two.txt", "rw-r-----", "2001-02-03T04:05:06Z");
        write(archive, "lib/two.jar", "rw-r-----", "2001-02-03T04:05:06Z");
        String links = "sh 'mkdir -p real/lib; echo old > real/one; ln -s real/one one.txt; ln -s real/two two.txt;"
                + " ln -s real/lib lib'; ";
        assertSameAndFetched(links + "copyArtifacts 'source'");
        // enough bytes for the engine
        Files.write(archive.resolve("large"), FileTrees.noise(3_000_000));
        assertSameAndFetched(links + "copyArtifacts 'source'");
    }

    /** Core follows links only in some versions. Only root can make some of these workspaces. */
    @Test
    void unusualWorkspacesMatchCopyArtifacts() throws Exception {
        Path archive = emptyArchive();
        write(archive, "lib/two.jar", "rw-r-----", "2001-02-03T04:05:06Z");
        write(archive, "z", "rw-r-----", "2001-02-03T04:05:06Z");
        for (boolean engine : new boolean[] {false, true}) {
            if (engine) {
                Files.write(archive.resolve("large"), FileTrees.noise(3_000_000));
            }
            boolean root = Integer.valueOf(0).equals(Files.getAttribute(archive, "unix:uid"));
            String acl = Command.works("setfacl", "--version") ? "setfacl -d -m g:1:rwx lib; " : "";
            List<String> workspaces = new ArrayList<>(List.of(
                    "ln lib/two.jar hard",
                    (root ? "chgrp 1 lib; " : "") + "chmod 2775 lib",
                    acl + "rm lib/two.jar",
                    "chmod 555 lib"));
            if (root) {
                workspaces.addAll(List.of("chattr +i lib", "echo old > ../src; mount --bind ../src lib/two.jar"));
            }
            for (String prepare : workspaces) {
                assertSameAndFetched(
                        "sh 'mkdir lib; echo much longer than before > lib/two.jar; touch -d 2001-02-04 lib/two.jar; "
                                + prepare + "'; try { copyArtifacts 'source' } finally { sh 'stat -c \"%u:%g %A %h"
                                + " %n\" lib/* hard > seen || :; getfacl -R lib >> seen || :; chattr -i lib"
                                + " || :; umount lib/two.jar || :; cat ../src > src || :; rm -f ../src;"
                                + " touch -d 2001-02-03 seen src' }");
            }
        }
    }

    @Test
    void regularFilesMatchCopyArtifacts() throws Exception {
        Path archive = emptyArchive();
        write(archive, "a b/\u00e4.txt", "rw-r--r--", "2001-02-03T04:05:06Z");
        write(archive, ".git/config", "rw-------", "2021-02-03T04:05:06Z");
        write(archive, "x@tmp/y~", "rw-------", "2021-02-03T04:05:06Z");
        Files.createDirectories(archive.resolve("empty/folder"));
        assertSameAndFetched("copyArtifacts 'source'");
        assertSameAndFetched("copyArtifacts projectName: 'source', filter: '** '");
        Files.createFile(archive.resolve("back\\slash"));
        assertSame("copyArtifacts 'source'");
    }

    @Test
    void missingArtifactsMatchCopyArtifacts() throws Exception {
        someArtifacts();
        assertSame(Result.FAILURE, "copyArtifacts projectName: 'source', filter: 'none'");
        assertSame(Result.SUCCESS, "copyArtifacts projectName: 'source', filter: 'none', optional: true");
        assertSame(Result.FAILURE, "copyArtifacts 'missing'");
        assertSame(Result.FAILURE, "copyArtifacts projectName: 'source', selector: specific('7')");
        assertSame(Result.SUCCESS, "copyArtifacts projectName: 'source', selector: specific('7'), optional: true");
    }

    @Test
    void buildWithoutArtifactsMatchesCopyArtifacts() throws Exception {
        r.buildAndAssertSuccess(source);
        assertSame("copyArtifacts 'source'");
        assertSame("copyArtifacts projectName: 'source', optional: true");
    }

    @Test
    void linksOutOfArchiveAreRefused() throws Exception {
        Path folder = Files.createDirectory(r.jenkins.getRootDir().toPath().resolve("others"));
        Path secret = Files.writeString(folder.resolve("a-secret"), "secret");
        Path archive = someArtifacts();
        Files.createSymbolicLink(archive.resolve("out"), secret);
        assertSame(Result.FAILURE, "copyArtifacts 'source'");
        Files.delete(archive.resolve("out"));
        Files.createSymbolicLink(archive.resolve("folder-out"), folder);
        assertSame(Result.FAILURE, "copyArtifacts projectName: 'source', filter: '**/a-secret'");
        assertEquals(List.of(), recorder.started);
        Files.delete(archive.resolve("folder-out"));
        assertSameAndFetched("copyArtifacts 'source'");
    }

    @Test
    void randomTreesMatchCopyArtifacts() throws Exception {
        int fetched = 0;
        for (int seed = 0; seed < RANDOM_TREES; seed++) {
            Path archive = emptyArchive();
            RandomTree.create(archive, seed);
            boolean keepBackslashes = seed % 3 == 0;
            // each listing would follow such a link five times
            remove(archive, path -> Files.isSymbolicLink(path) && Files.isDirectory(path));
            // Jenkins lists such a name as a folder, and does not find the file
            remove(
                    archive,
                    path -> !keepBackslashes && path.getFileName().toString().contains("\\"));
            assertSame("copyArtifacts projectName: 'source', fingerprintArtifacts: true, flatten: " + (seed % 4 == 3));
            fetched += recorder.completed.size();
            recorder.started.clear();
            recorder.completed.clear();
        }
        assertTrue(fetched >= RANDOM_TREES / 2, "only so many were fetched: " + fetched);
    }

    private static void remove(Path archive, Predicate<Path> which) throws IOException {
        List<Path> all;
        try (Stream<Path> paths = Files.walk(archive)) {
            all = paths.filter(path -> !path.equals(archive) && which.test(path))
                    .toList();
        }
        for (Path path : all) {
            Util.deleteRecursive(path.toFile());
        }
    }
}
