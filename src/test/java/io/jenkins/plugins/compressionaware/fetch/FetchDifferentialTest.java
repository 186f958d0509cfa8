package io.jenkins.plugins.compressionaware.fetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.Util;
import hudson.model.Result;
import hudson.tasks.Fingerprinter;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.RandomTree;
import io.jenkins.plugins.compressionaware.testing.jenkins.Agents;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.jvnet.hudson.test.JenkinsRule;

/** The same parameters for copyArtifacts and for fetchArtifacts: the same result, the same reasons, the same files. */
class FetchDifferentialTest extends FetchTestBase {
    private static final int RANDOM_TREES = 12;

    /** What can be seen of a build. */
    private record Seen(
            Result result, List<String> says, Map<String, String> files, Map<String, String> fingerprints) {}

    @BeforeEach
    void start() throws Exception {
        start(Agents.TCP);
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
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

    private Seen seen(String script) throws Exception {
        WorkflowRun build = run(script);
        List<String> says = JenkinsRule.getLog(build)
                .lines()
                .filter(line -> line.startsWith("ERROR") || line.startsWith("says") || line.startsWith("Unable"))
                .toList();
        Fingerprinter.FingerprintAction prints = build.getAction(Fingerprinter.FingerprintAction.class);
        return new Seen(build.getResult(), says, workspace(build), prints == null ? Map.of() : prints.getRecords());
    }

    /** Runs a script with the one step and the other. */
    private Seen same(String script) throws Exception {
        Seen copied = seen(script);
        assertEquals(List.of(), heard.started);
        Seen fetched = seen(script.replace("copyArtifacts", "fetchArtifacts"));
        assertEquals(copied, fetched, script);
        return fetched;
    }

    private void same(Result result, String script) throws Exception {
        assertEquals(result, same(script).result(), script);
    }

    private void sameFetched(String script) throws Exception {
        same(Result.SUCCESS, script);
        assertTrue(heard.completed.stream().anyMatch(one -> one.kind == TransferInfo.Operation.FETCH), script);
        heard.started.clear();
        heard.completed.clear();
    }

    @Test
    void parameters() throws Exception {
        someArtifacts();
        sameFetched("copyArtifacts 'source'");
        sameFetched("copyArtifacts projectName: 'source', filter: '**/*.jar, one.txt', excludes: 'other/**'");
        sameFetched("copyArtifacts projectName: '/source', flatten: true");
        sameFetched("copyArtifacts projectName: 'source', flatten: true, filter: '**/two.jar', target: 'a/b'");
        sameFetched("withEnv(['T=in/there', 'F=one.*']) { copyArtifacts projectName: 'source', target: env.T, filter:"
                + " env.F }");
        sameFetched("dir('sub') { copyArtifacts projectName: 'source', target: '../beside' }");
        sameFetched("copyArtifacts projectName: 'source', target: 't', includeBuildNumberInTargetPath: true");
        sameFetched("copyArtifacts projectName: 'source', fingerprintArtifacts: true");
        sameFetched("copyArtifacts projectName: 'source', selector: lastCompleted(), optional: true");
        sameFetched("copyArtifacts projectName: 'source', selector: specific('1'), filter: 'lib\\\\**'");
        sameFetched("sh 'mkdir lib; echo old > lib/two.jar; touch -d 2001-02-03 lib/stays'; copyArtifacts 'source'");
    }

    /** A parameter's selector selects the build, whatever artifacts it would give. */
    @Test
    void selectorsInParameters() throws Exception {
        someArtifacts();
        source.getSomeWorkspace().child("one.txt").write("of the workspace", null);
        sameFetched(
                "copyArtifacts projectName: 'source', selector: buildParameter('<StatusBuildSelector/>'), filter: '*'");
        sameFetched("copyArtifacts projectName: 'source', selector: buildParameter('<WorkspaceSelector/>')");
        sameFetched("copyArtifacts projectName: 'source', selector: upstream(fallbackToLastSuccessful: true)");
        sameFetched("copyArtifacts projectName: 'source', selector: permalink('lastBuild')");
    }

    @Test
    void whatTheSelectorFindsInAWorkspace() throws Exception {
        someArtifacts();
        source.getSomeWorkspace().child("one.txt").write("of the workspace", null);
        same(Result.SUCCESS, "copyArtifacts projectName: 'source', selector: workspace()");
        same(Result.FAILURE, "copyArtifacts projectName: 'source', selector: workspace(), filter: 'lib/**'");
        assertEquals(List.of(), heard.started);
    }

    @Test
    void intoALinkToAFolder() throws Exception {
        Path archive = someArtifacts();
        String linked = "sh 'mkdir -p real/lib; ln -s real deps'; ";
        sameFetched(linked + "copyArtifacts projectName: 'source', target: 'deps'");
        sameFetched(linked + "dir('deps') { copyArtifacts 'source' }");
        // needs the engine
        Files.write(archive.resolve("large"), FileTrees.noise(3_000_000));
        sameFetched(linked + "copyArtifacts projectName: 'source', target: 'deps'");
    }

    /** Into the file that they lead to, or would. */
    @Test
    void linksThatAreInTheWay() throws Exception {
        Path archive = emptyArchive();
        write(archive, "one.txt", "rw-r-----", "2001-02-03T04:05:06Z");
        write(archive, "two.txt", "rw-r-----", "2001-02-03T04:05:06Z");
        write(archive, "lib/two.jar", "rw-r-----", "2001-02-03T04:05:06Z");
        String links = "sh 'mkdir -p real/lib; echo old > real/one; ln -s real/one one.txt; ln -s real/two two.txt;"
                + " ln -s real/lib lib'; ";
        sameFetched(links + "copyArtifacts 'source'");
        // needs the engine
        Files.write(archive.resolve("large"), FileTrees.noise(3_000_000));
        sameFetched(links + "copyArtifacts 'source'");
    }

    /** Core's copy follows links with any version. */
    @Test
    void oddWorkspaces() throws Exception {
        Path archive = emptyArchive();
        write(archive, "lib/two.jar", "rw-r-----", "2001-02-03T04:05:06Z");
        write(archive, "z", "rw-r-----", "2001-02-03T04:05:06Z");
        for (boolean engine : new boolean[] {false, true}) {
            if (engine) {
                Files.write(archive.resolve("large"), FileTrees.noise(3_000_000));
            }
            for (String prepare : List.of(
                    "ln lib/two.jar hard",
                    "chgrp 1 lib; chmod 2775 lib",
                    "chattr +i lib",
                    "echo old > ../src; mount --bind ../src lib/two.jar")) {
                sameFetched(
                        "sh 'mkdir lib; echo much longer than before > lib/two.jar; touch -d 2001-02-04 lib/two.jar; "
                                + prepare + "'; "
                                + "try { copyArtifacts 'source' } finally { sh 'stat -c \"%u:%g %A %h %n\" lib/* hard > seen || :;"
                                + " chattr -i lib || :; umount lib/two.jar || :; cat ../src > src || :; rm -f ../src;"
                                + " touch -d 2001-02-03 seen src' }");
            }
        }
    }

    @Test
    void plainFilesAlone() throws Exception {
        Path archive = emptyArchive();
        write(archive, "a b/\u00e4.txt", "rw-r--r--", "2001-02-03T04:05:06Z");
        write(archive, ".git/config", "rw-------", "2021-02-03T04:05:06Z");
        write(archive, "x@tmp/y~", "rw-------", "2021-02-03T04:05:06Z");
        Files.createDirectories(archive.resolve("empty/folder"));
        sameFetched("copyArtifacts 'source'");
        sameFetched("copyArtifacts projectName: 'source', filter: '** '");
        Files.createFile(archive.resolve("back\\slash"));
        same("copyArtifacts 'source'");
    }

    @Test
    void nothingToCopy() throws Exception {
        someArtifacts();
        same(Result.FAILURE, "copyArtifacts projectName: 'source', filter: 'none'");
        same(Result.SUCCESS, "copyArtifacts projectName: 'source', filter: 'none', optional: true");
        same(Result.FAILURE, "copyArtifacts 'missing'");
        same(Result.FAILURE, "copyArtifacts projectName: 'source', selector: specific('7')");
        same(Result.SUCCESS, "copyArtifacts projectName: 'source', selector: specific('7'), optional: true");
    }

    @Test
    void aBuildWithoutArtifacts() throws Exception {
        r.buildAndAssertSuccess(source);
        same("copyArtifacts 'source'");
        same("copyArtifacts projectName: 'source', optional: true");
    }

    @Test
    void whatLeadsOutOfTheArchive() throws Exception {
        Path folder = Files.createDirectory(r.jenkins.getRootDir().toPath().resolve("others"));
        Path secret = Files.writeString(folder.resolve("a-secret"), "secret");
        Path archive = someArtifacts();
        Files.createSymbolicLink(archive.resolve("out"), secret);
        same(Result.FAILURE, "copyArtifacts 'source'");
        Files.delete(archive.resolve("out"));
        Files.createSymbolicLink(archive.resolve("folder-out"), folder);
        same(Result.FAILURE, "copyArtifacts projectName: 'source', filter: '**/a-secret'");
        assertEquals(List.of(), heard.started);
        Files.delete(archive.resolve("folder-out"));
        sameFetched("copyArtifacts 'source'");
    }

    @Test
    void randomTrees() throws Exception {
        int fetched = 0;
        for (int seed = 0; seed < RANDOM_TREES; seed++) {
            Path archive = emptyArchive();
            RandomTree.create(archive, seed);
            boolean odd = seed % 3 == 0;
            // a link to a folder around it would be followed five times by each listing, with all others in it
            remove(archive, path -> Files.isSymbolicLink(path) && Files.isDirectory(path));
            // Jenkins takes it for a folder when it lists artifacts, and does not find the file
            remove(archive, path -> !odd && path.getFileName().toString().contains("\\"));
            same("copyArtifacts projectName: 'source', fingerprintArtifacts: true, flatten: " + (seed % 4 == 3));
            fetched += heard.completed.size();
            heard.started.clear();
            heard.completed.clear();
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
