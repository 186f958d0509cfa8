package io.jenkins.plugins.compressionaware.stash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import hudson.FilePath;
import hudson.model.Result;
import io.jenkins.plugins.compressionaware.CompressionAwareArtifactManagerFactory;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.RandomTree;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import jenkins.model.ArtifactManagerConfiguration;
import org.jenkinsci.plugins.workflow.cps.CpsFlowDefinition;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.jvnet.hudson.test.JenkinsRule;

/** Runs the same script with and without the plugin, and compares result, log and files. */
class StashDifferentialTest extends StashTestBase {
    private final long start = System.currentTimeMillis() / 1000;

    /** Result, log and files of a build. */
    private record Outcome(Result result, List<String> log, Map<String, String> files) {}

    @Test
    void includesAndExcludesMatchCore() throws Exception {
        assertSameAsCore("""
            writeFile file: 'a/one.txt', text: '1'
            writeFile file: 'a/two.log', text: '2'
            writeFile file: 'b/.git/config', text: '3'
            writeFile file: 'b/three.txt~', text: '4'
            stash 'all'
            stash name: 'texts', includes: '**/*.txt, b/**', excludes: '**/*.log'
            stash name: 'even', includes: '**/*.txt*', useDefaultExcludes: false
            deleteDir()
            dir('all') { unstash 'all' }
            dir('texts') { unstash 'texts' }
            dir('even') { unstash 'even' }
            """);
    }

    @Test
    void emptyStashMatchesCore() throws Exception {
        assertSameAsCore("stash name: 'x', includes: 'none', allowEmpty: true\nunstash 'x'");
        assertSameAsCore("stash name: 'x', includes: 'none'");
        assertSameAsCore("stash 'x'");
    }

    @Test
    void unknownAndUnusualNamesMatchCore() throws Exception {
        assertSameAsCore("unstash 'never'");
        assertSameAsCore("stash name: '../x', allowEmpty: true");
        assertSameAsCore(
                "writeFile file: 'a', text: ''\nstash name: 'a b.tar.zst'\ndeleteDir()\nunstash 'a b.tar.zst'");
    }

    /** With the longest name that core can store. */
    @Test
    void longestNameMatchesCore() throws Exception {
        assertSameAsCore("writeFile file: 'a', text: '1'\nstash('n' * 248)\ndeleteDir()\nunstash('n' * 248)");
    }

    @Test
    void secondStashOfSameNameReplacesFirst() throws Exception {
        assertSameAsCore("""
            writeFile file: 'a', text: '1'
            stash 'x'
            writeFile file: 'b', text: '2'
            stash name: 'x', includes: 'b'
            deleteDir()
            unstash 'x'
            """);
    }

    @Test
    void unstashIntoFilledWorkspaceMatchesCore() throws Exception {
        assertSameAsCore("""
            sh 'mkdir -p d/e; echo 1 > d/a; echo new > d/e/b; ln -s a d/link; chmod 750 d/a; touch -d 2001-02-03T04:05:06 d/a'
            stash 'x'
            sh 'echo longer than before > d/a; touch d/kept; rm d/link; ln -s e/b d/link'
            unstash 'x'
            """);
    }

    @Test
    void readOnlyFilesMatchCore() throws Exception {
        assertSameAsCore("""
            sh 'echo 1 > a; chmod 400 a'
            stash 'x'
            sh 'rm a'
            unstash 'x'
            """);
    }

    @Test
    void conflictingFileTypesMatchCore() throws Exception {
        assertSameAsCore("sh 'echo 1 > a'\nstash 'x'\nsh 'rm a; mkdir a; touch a/b'\nunstash 'x'");
        assertSameAsCore("sh 'mkdir a; echo 1 > a/b'\nstash 'x'\nsh 'rm -r a; echo 2 > a'\nunstash 'x'");
        assertSameAsCore("sh 'mkdir a; echo 1 > a/b'\nstash 'x'\nsh 'mv a c; ln -s c a'\nunstash 'x'");
        assertSameAsCore("sh 'echo 1 > a'\nstash 'x'\nsh 'rm a; ln -s b a'\nunstash 'x'");
        assertSameAsCore("sh 'echo 1 > a'\nstash 'x'\nsh 'rm a; ln -s b a; mkdir b'\nunstash 'x'");
        assertSameAsCore("sh 'mkdir a; echo 1 > a/b'\nstash 'x'\nsh 'rm -r a; ln -s b a'\nunstash 'x'");
        assertSameAsCore("""
            sh 'mkdir -p a/c; echo 1 > a/c/b'
            stash 'x'
            sh 'rm -r a; mkdir -p ../else; ln -s ../else a'
            try { unstash 'x' } finally { sh 'mv ../else seen' }
            """);
    }

    /** With one bootstrap call, then with enough bytes for the engine. */
    @Test
    void unstashFollowsLinkToFolder() throws Exception {
        for (String node : List.of("", "built-in")) {
            for (int lines : new int[] {10, 400_000}) {
                assertSameAsCore(node, """
                    sh 'mkdir -p d ../else/d; seq 1 %d > d/a; echo old > ../else/d/a; ln -s ../else deps'
                    stash name: 'x', includes: 'd/**'
                    try { dir('deps') { unstash 'x' } } finally { sh 'mv ../else seen' }
                    """.formatted(lines));
            }
        }
    }

    @Test
    void linkReplacesOnlyEmptyFolder() throws Exception {
        for (String node : List.of("", "built-in")) {
            assertSameAsCore(node, """
                sh 'echo 1 > v1; ln -s v1 current; echo 1 > other'
                stash 'x'
                sh 'rm current other; mkdir current; touch current/x'
                unstash 'x'
                """);
            assertSameAsCore(
                    node, "sh 'echo 1 > v1; ln -s v1 current'\nstash 'x'\nsh 'rm current; mkdir current'\nunstash 'x'");
        }
    }

    @Test
    void parallelUnstashesShareFolders() throws Exception {
        assertSameAsCore("""
            sh 'for d in $(seq 1 400); do mkdir -p m$d; echo a > m$d/a; done'
            stash name: 'x', includes: '**/a'
            sh 'for d in $(seq 1 400); do echo b > m$d/b; done'
            stash name: 'y', includes: '**/b'
            for (int k = 0; k < 4; k++) {
                deleteDir()
                parallel a: { unstash 'x' }, b: { unstash 'y' }
            }
            """);
    }

    /** A path of at most 4095 bytes is valid. With one bootstrap call, then with enough bytes for the engine. */
    @Test
    void longestPathsMatchCore() throws Exception {
        for (int lines : new int[] {10, 400_000}) {
            assertSameAsCore("""
                sh 'p=$(pwd)/; while [ ${#p} -lt 3840 ]; do p=$p$(printf %%0200d 0)/; done; mkdir -p $p; echo 1 > $p$(printf %%0$((4090 - ${#p}))d 0)'
                sh 'seq 1 %d > numbers'
                stash 'x'
                deleteDir()
                unstash 'x'
                """.formatted(lines));
        }
    }

    /** With one bootstrap call, with enough bytes for the engine, and then with the engine for few bytes. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "ln d/f hard",
                "chmod 600 d/f; chmod 711 d",
                "chgrp 1 d; chmod 2775 d",
                "chgrp 1 d; chmod 2775 d; rm d/f",
                "setfacl -d -m g:1:rwx d; rm d/f",
                "chmod 555 d",
                "chmod 555 d; chmod 400 d/f",
                "rm -r d; mkdir real; ln -s real d",
                "mv d/f d/real; ln -s real d/f",
                "mv d/f d/real; ln -s other d/f",
                "ln -s no/where l",
                "mkdir -p l/x",
                "mkdir l",
                "ln -s d l",
                "rm d/f; mkdir d/f",
                "chattr +i d",
                "echo old > ../src; mount --bind ../src d/f"
            })
    void unusualWorkspacesMatchCore(String prepare) throws Exception {
        assumeTrue(
                System.getProperty("user.name").equals("root") || !prepare.matches("(chgrp|chattr|.*mount).*"),
                "Untested: only root prepares this workspace");
        for (int lines : new int[] {10, 400_000, 6_000_000, 10}) {
            assertSameAsCore("""
                sh 'mkdir d; echo new > d/f; ln -s d/f l; seq 1 %d > numbers'
                stash 'x'
                sh 'rm l numbers; echo longer than before > d/f; %s'
                try { unstash 'x' } finally {
                    sh 'stat -c "%%u:%%g %%A %%h %%n" d/* d/f l hard > seen || :; getfacl -R d >> seen || :; chattr -i d || :; \
                        umount d/f || :; cat ../src > src || :; rm -f ../src'
                }
                """.formatted(lines, prepare));
        }
    }

    /** Core writes to devices. The test makes its own device, because a root process that replaced a real one would break other processes. */
    @ParameterizedTest
    @ValueSource(strings = {"mknod n c 1 3", "mkfifo n"})
    void unstashRefusesToWriteToDevice(String make) throws Exception {
        assumeTrue(
                make.startsWith("mkfifo") || System.getProperty("user.name").equals("root"),
                "Untested: only root makes devices");
        for (int lines : new int[] {10, 400_000}) {
            Outcome outcome = run("", """
                sh 'mkdir logs; echo real > logs/f; seq 1 %d > numbers'
                stash 'x'
                sh 'cd logs; rm f; %s; ln -s n f'
                try { unstash 'x' } finally { sh 'cd logs; { test -c n || test -p n; } && rm n f && touch stayed' }
                """.formatted(lines, make), true);
            assertEquals(Result.FAILURE, outcome.result);
            assertTrue(outcome.files.containsKey("logs/stayed"), outcome.toString());
        }
    }

    /** Core fails here. */
    @Test
    void unstashReplacesRunningProgram() throws Exception {
        for (int lines : new int[] {10, 400_000}) {
            Outcome outcome = run("", """
                sh 'cp /bin/sleep s; seq 1 %d > numbers'
                stash 'x'
                sh './s 600 & until readlink /proc/$!/exe | grep "/s$"; do :; done; echo $! > pid'
                try { unstash 'x' } finally { sh 'kill $(cat pid); rm pid' }
                """.formatted(lines), true);
            assertEquals(Result.SUCCESS, outcome.result);
        }
    }

    @Test
    void controllerWorkspaceMatchesCore() throws Exception {
        assertSameAsCore("built-in", """
            sh 'mkdir d; echo 1 > d/a; ln -s a d/link; chmod 750 d/a; touch -d 2001-02-03T04:05:06 d/a'
            stash 'x'
            deleteDir()
            unstash 'x'
            """);
        assertSameAsCore("built-in", "sh 'mkdir a; echo 1 > a/b'\nstash 'x'\nsh 'mv a c; ln -s c a'\nunstash 'x'");
    }

    @Test
    void randomTreesMatchCore() throws Exception {
        for (int seed = 0; seed < 10; seed++) {
            FilePath tree = agent.getRootPath().child("tree" + seed);
            RandomTree.deleteLinksToFolders(RandomTree.create(Path.of(tree.getRemote()), seed), 1);
            assertSameAsCore("sh 'cp -a \"" + tree.getRemote()
                    + "\" tree'\nstash name: 'x', useDefaultExcludes: false\ndeleteDir()\nunstash 'x'");
        }
    }

    private void assertSameAsCore(String script) throws Exception {
        assertSameAsCore("", script);
    }

    private void assertSameAsCore(String node, String script) throws Exception {
        assertEquals(run(node, script, false), run(node, script, true), script);
    }

    private Outcome run(String node, String script, boolean withPlugin) throws Exception {
        var factories = ArtifactManagerConfiguration.get().getArtifactManagerFactories();
        factories.clear();
        if (withPlugin) {
            factories.add(new CompressionAwareArtifactManagerFactory());
        }
        String label = node.isEmpty() ? agent.getNodeName() : node;
        WorkflowJob job = r.jenkins.createProject(WorkflowJob.class, "job");
        try {
            job.setDefinition(new CpsFlowDefinition(
                    "node('" + label + "') { ws(pwd() + '-here') {\ndeleteDir()\ntry {\n" + script
                            + "\n} finally { echo('in ' + pwd()) }\n} }",
                    true));
            WorkflowRun run = job.scheduleBuild2(0).get();
            String log = JenkinsRule.getLog(run);
            Path workspace = Path.of(log.lines()
                    .filter(line -> line.startsWith("in /"))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError(log))
                    .substring(3));
            List<String> messages = log.lines()
                    .filter(line -> line.matches("Stashed .*|Warning: .*|ERROR: .*"))
                    // followed by a stack trace in core
                    .filter(line -> !line.matches("ERROR: .*([Cc]annot|could not) .*"))
                    .toList();
            Map<String, String> files = FileTrees.describe(workspace);
            // files made by the build have no fixed time
            files.replaceAll((name, description) -> withoutTimeIfNew(description));
            Outcome outcome = new Outcome(run.getResult(), messages, files);
            if (Files.exists(workspace)) {
                new FilePath(workspace.toFile()).deleteRecursive();
            }
            return outcome;
        } finally {
            job.delete();
        }
    }

    private String withoutTimeIfNew(String description) {
        String[] words = description.split(" ");
        if (words[0].equals("file") && Long.parseLong(words[2]) >= start) {
            words[2] = "new";
        }
        return String.join(" ", words);
    }
}
