package io.jenkins.plugins.compressionaware.stash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.model.Result;
import io.jenkins.plugins.compressionaware.report.BuildTransfersAction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.Test;
import org.jvnet.hudson.test.JenkinsRule;

/** Steps of a Jenkinsfile whose arguments try to harm Jenkins. */
class HostilePipelineTest extends StashTestBase {
    private static final String LINKS = "sh 'echo 1 > ../secret; ln -s .. out; ln -s ../secret s'; ";

    private static final List<String> ATTACKS = List.of(
            "stash name: '../' + 'x', allowEmpty: true",
            "stash name: 'a\\u0000b', allowEmpty: true",
            "stash name: '..', allowEmpty: true",
            "stash name: 'x' * 300, allowEmpty: true",
            "stash name: 'n\\uFFFEb', includes: 'f'; deleteDir(); unstash 'n\\uFFFEb'",
            "stash name: '\\u202E\\u2028{b}', includes: 'f'; deleteDir(); unstash '\\u202E\\u2028{b}'",
            "stash name: 'p', includes: ('a' * 9000 + ',') * 100 + 'f'; deleteDir(); unstash 'p'",
            "stash name: 'p', includes: '**/' * 3000 + 'f'; deleteDir(); unstash 'p'",
            "stash name: 'p', includes: '*a' * 3000 + ',f', excludes: ',' * 99999; deleteDir(); unstash 'p'",
            "stash name: 'p', includes: 'f\\u0000,\\uD800,f', excludes: '\\u0000'; deleteDir(); unstash 'p'",
            "stash name: 'p', includes: '../secret,/etc/hostname,d/../../secret'",
            LINKS + "stash name: 'p', includes: 'out/secret,s,f'; deleteDir(); unstash 'p'",
            LINKS + "archiveArtifacts artifacts: '../secret,f'",
            LINKS + "archiveArtifacts artifacts: 'out/secret,s,f', followSymlinks: false",
            LINKS + "archiveArtifacts artifacts: 'out/secret,s,f'",
            "archiveArtifacts artifacts: '**/' * 3000 + 'f,' + 'a' * 99999, excludes: '\\u0000\\uD800'",
            "unstash 'x' * 300");

    /** Each of these fails; none may permit what the administrator forbids. */
    private static final List<String> SETTINGS = List.of(
            "codec: 'zs\\u0000td'",
            "codec: 'gzip\\nERROR: forged \\u202E\\uD800'",
            "level: 2147483647",
            "level: -2147483648",
            "reuse: 'on'",
            "maxLevel: 19",
            "checksum: 'none'",
            "threads: 64",
            "directHttp: 'off'",
            "excludedLabels: 'x'");

    /** Runs each step of a script in an empty workspace with one file, and logs whether it fails. */
    private WorkflowRun run(List<String> steps) throws Exception {
        String body = steps.stream()
                .map(step -> "deleteDir()\nwriteFile file: 'f', text: '1'\ntry { " + step
                        + "\necho 'result: ' + fileExists('f') + fileExists('out/secret') + fileExists('s')"
                        + " } catch (e) { echo 'result: failed' }\n")
                .collect(Collectors.joining());
        return pipeline("node('" + agent.getNodeName() + "') { ws(pwd() + '-here') {\n" + body
                        + "sh 'rm -f ../secret' } }")
                .scheduleBuild2(0)
                .get();
    }

    private static List<String> results(WorkflowRun build) throws Exception {
        return JenkinsRule.getLog(build)
                .lines()
                .filter(line -> line.startsWith("result: "))
                .toList();
    }

    private static List<String> files(Path folder) throws Exception {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.map(file -> folder.relativize(file) + (Files.isSymbolicLink(file) ? " link" : ""))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void argumentsHaveTheSameEffectAsInCore() throws Exception {
        WorkflowRun core = run(ATTACKS);
        usePlugin();
        WorkflowRun plugin = run(ATTACKS);
        assertEquals(ATTACKS.size(), results(core).size(), JenkinsRule.getLog(core));
        assertEquals(results(core), results(plugin), JenkinsRule.getLog(plugin));
        assertEquals(files(archiveOf(core)), files(archiveOf(plugin)));
        plugin.save();
        plugin.reload();
        assertTrue(plugin.getAction(BuildTransfersAction.class).getTransfers().size() > 5, JenkinsRule.getLog(plugin));
    }

    @Test
    void settingsOfStepAreRefused() throws Exception {
        usePlugin();
        List<String> steps = SETTINGS.stream()
                .map(setting -> "withArtifactTransfer(" + setting + ") { stash name: 'p', includes: 'f' }")
                .toList();
        WorkflowRun build = r.assertBuildStatus(Result.SUCCESS, run(steps));
        assertEquals(
                SETTINGS.stream().map(one -> "result: failed").toList(), results(build), JenkinsRule.getLog(build));
    }
}
