package io.jenkins.plugins.compressionaware.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import hudson.EnvVars;
import hudson.Extension;
import hudson.Launcher;
import hudson.LauncherDecorator;
import hudson.model.BuildListener;
import hudson.model.Node;
import hudson.model.Result;
import io.jenkins.plugins.compressionaware.testing.jenkins.Archiving;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.io.Serializable;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.jenkinsci.plugins.workflow.steps.BodyInvoker;
import org.jenkinsci.plugins.workflow.steps.Step;
import org.jenkinsci.plugins.workflow.steps.StepContext;
import org.jenkinsci.plugins.workflow.steps.StepDescriptor;
import org.jenkinsci.plugins.workflow.steps.StepExecution;
import org.jenkinsci.plugins.workflow.steps.StepExecutions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.kohsuke.stapler.DataBoundConstructor;

class StepTest extends JenkinsTestBase {
    private static final String STEP = ": set by withArtifactTransfer";

    private Archiving archiving;

    @BeforeEach
    void start() throws Exception {
        archiving = new Archiving(r);
    }

    private WorkflowRun run(String script) throws Exception {
        return r.buildAndAssertSuccess(pipeline(script));
    }

    @Test
    void stepMayEncloseNode() throws Exception {
        assertEquals(List.of("zstd" + STEP), Archiving.of(run("""
            withArtifactTransfer(codec: 'zstd') {
                node('remote') {
                    writeFile file: 'x', text: 'x'
                    dir('.') { withEnv(['A=b']) { archiveArtifacts 'x' } }
                }
            }
            """)));
    }

    @Test
    void innermostBlockAppliesUntilItsEnd() throws Exception {
        WorkflowRun build = run("""
            node('remote') {
                writeFile file: 'x', text: 'x'
                archiveArtifacts 'x'
                withArtifactTransfer(codec: 'none') {
                    archiveArtifacts 'x'
                    withArtifactTransfer(codec: 'zstd', level: 7) { archiveArtifacts 'x' }
                    archiveArtifacts 'x'
                }
                archiveArtifacts 'x'
            }
            """);
        assertEquals(List.of("gzip", "gzip", "none" + STEP, "none" + STEP, "zstd" + STEP), Archiving.of(build));
        r.assertLogContains("; zstd 7", build);
    }

    /** Declarative Pipeline first checks that no required argument is missing. */
    @Test
    void blockMayInheritCodec() throws Exception {
        assertEquals(List.of("zstd" + STEP), Archiving.of(run("""
            pipeline {
                agent { label 'remote' }
                options { artifactTransfer(reuse: 'off') }
                stages { stage('s') { steps {
                    writeFile file: 'x', text: 'x'
                    withArtifactTransfer(codec: 'zstd') {
                        withArtifactTransfer(reuse: 'off') { archiveArtifacts 'x' }
                    }
                } } }
            }
            """)));
    }

    @Test
    void parallelBranchesHaveSeparateSettings() throws Exception {
        List<String> choices = Archiving.of(run("""
            def branch(String codec) {
                return {
                    ws(codec) {
                        writeFile file: codec, text: codec
                        withArtifactTransfer(codec: codec) {
                            for (int i = 0; i < 5; i++) { archiveArtifacts codec }
                        }
                    }
                }
            }
            node('remote') {
                writeFile file: 'x', text: 'x'
                withArtifactTransfer(codec: 'zstd') {
                    parallel gzip: branch('gzip'), lz4: branch('lz4'), none: branch('none'), outer: {
                        for (int i = 0; i < 5; i++) { archiveArtifacts 'x' }
                    }
                }
            }
            """));
        assertEquals(20, choices.size());
        for (String codec : List.of("gzip", "lz4", "none", "zstd")) {
            assertEquals(5, choices.stream().filter((codec + STEP)::equals).count(), choices.toString());
        }
    }

    @Test
    void settingsApplyToArchivingSteps() throws Exception {
        assertEquals(List.of("zstd" + STEP, "zstd" + STEP, "zstd" + STEP), Archiving.of(run("""
            node('remote') {
                writeFile file: 'x', text: 'x'
                withArtifactTransfer(codec: 'zstd') {
                    archiveArtifacts 'x'
                    archive 'x'
                    step([$class: 'ArtifactArchiver', artifacts: 'x'])
                }
            }
            """)));
    }

    @Test
    void commandsAndStashesWorkInBlock() throws Exception {
        WorkflowRun build = run("""
            node('remote') {
                withArtifactTransfer(codec: 'zstd') {
                    if (isUnix()) { sh 'echo from the shell > x' } else { bat 'echo from the shell > x' }
                    stash 'x'
                }
                deleteDir()
                withArtifactTransfer(codec: 'none') { unstash 'x' }
                echo readFile('x')
            }
            """);
        r.assertLogContains("Stashed 1 file(s)", build);
        r.assertLogContains("from the shell", build);
    }

    @ParameterizedTest
    @EnumSource(Foreign.class)
    void settingsSurviveLaunchersOfOtherPlugins(Foreign kind) throws Exception {
        WorkflowRun build = run("""
            node('remote') {
                writeFile file: 'x', text: 'x'
                withArtifactTransfer(codec: 'zstd') {
                    foreign('%s') {
                        archiveArtifacts 'x'
                        if (isUnix()) { sh 'true' }
                    }
                }
                foreign('%1$s') {
                    withArtifactTransfer(codec: 'none') { archiveArtifacts 'x' }
                    archiveArtifacts 'x'
                }
            }
            """.formatted(kind));
        assertEquals(List.of("gzip", "none" + STEP, "zstd" + STEP), Archiving.of(build));
    }

    @Test
    void listenerRemainsBuildListener() throws Exception {
        WorkflowRun build = run("""
            node('remote') {
                writeFile file: 'x', text: 'x'
                withArtifactTransfer(codec: 'zstd') {
                    casting()
                    foreign('COPIED') { casting() }
                    archiveArtifacts 'x'
                }
            }
            """);
        r.assertLogContains("A build's listener", build);
        assertEquals(List.of("zstd" + STEP), Archiving.of(build));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        codec: 'zip' | Invalid value “zip” for codec. Valid values: auto, none, gzip, lz4, zstd.
        codec: 'zstd', level: 99 | Enter a whole number from 1 to 19
        """)
    void invalidSettingFailsWithValidValues(String choice, String message) throws Exception {
        WorkflowJob job = pipeline("withArtifactTransfer(" + choice + ") { echo 'not reached' }");
        WorkflowRun build = r.buildAndAssertStatus(Result.FAILURE, job);
        r.assertLogContains(message, build);
        r.assertLogNotContains("not reached", build);
    }

    @Test
    void failureInBlockFailsBuild() throws Exception {
        WorkflowJob job = pipeline("withArtifactTransfer(codec: 'zstd') { error 'broken on purpose' }");
        r.assertLogContains("broken on purpose", r.buildAndAssertStatus(Result.FAILURE, job));
    }

    /** The types of launchers that other plugins derive from a launcher. */
    enum Foreign {
        DECORATED(Launcher.DecoratedLauncher::new),
        COPIED(launcher -> launcher.decorateByEnv(new EnvVars("FOREIGN", "true"))),
        REBUILT(launcher ->
                new Launcher.RemoteLauncher(launcher.getListener(), launcher.getChannel(), launcher.isUnix())),
        TWICE(launcher -> DECORATED.wrap.apply(COPIED.wrap.apply(launcher)));

        private final UnaryOperator<Launcher> wrap;

        Foreign(UnaryOperator<Launcher> wrap) {
            this.wrap = wrap;
        }
    }

    public static final class ForeignStep extends Step {
        private final Foreign kind;

        @DataBoundConstructor
        public ForeignStep(String kind) {
            this.kind = Foreign.valueOf(kind);
        }

        public String getKind() {
            return kind.name();
        }

        @Override
        public StepExecution start(StepContext context) {
            return StepExecutions.block(
                    context,
                    (given, body) -> body.withContext(BodyInvoker.mergeLauncherDecorators(
                            given.get(LauncherDecorator.class), new ForeignDecorator(kind))));
        }

        @Extension
        public static final class DescriptorImpl extends StepDescriptor {
            @Override
            public String getFunctionName() {
                return "foreign";
            }

            @Override
            public boolean takesImplicitBlockArgument() {
                return true;
            }

            @Override
            public Set<? extends Class<?>> getRequiredContext() {
                return Set.of();
            }
        }
    }

    /** Casts the launcher's listener, as some plugins do. */
    public static final class CastingStep extends Step {
        @DataBoundConstructor
        public CastingStep() {}

        @Override
        public StepExecution start(StepContext context) {
            return StepExecutions.synchronousNonBlockingVoid(context, given -> {
                BuildListener listener =
                        (BuildListener) given.get(Launcher.class).getListener();
                listener.getLogger().println("A build's listener");
            });
        }

        @Extension
        public static final class DescriptorImpl extends StepDescriptor {
            @Override
            public String getFunctionName() {
                return "casting";
            }

            @Override
            public Set<? extends Class<?>> getRequiredContext() {
                return Set.of(Launcher.class);
            }
        }
    }

    private static final class ForeignDecorator extends LauncherDecorator implements Serializable {
        private static final long serialVersionUID = 1;

        private final Foreign kind;

        ForeignDecorator(Foreign kind) {
            this.kind = kind;
        }

        @Override
        public Launcher decorate(Launcher launcher, Node node) {
            return kind.wrap.apply(launcher);
        }
    }
}
