package io.jenkins.plugins.compressionaware.config;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import edu.umd.cs.findbugs.annotations.NonNull;
import hudson.Extension;
import hudson.Launcher;
import hudson.LauncherDecorator;
import hudson.model.Node;
import java.io.Serializable;
import java.util.Set;
import org.jenkinsci.plugins.workflow.steps.BodyInvoker;
import org.jenkinsci.plugins.workflow.steps.Step;
import org.jenkinsci.plugins.workflow.steps.StepContext;
import org.jenkinsci.plugins.workflow.steps.StepDescriptor;
import org.jenkinsci.plugins.workflow.steps.StepExecution;
import org.jenkinsci.plugins.workflow.steps.StepExecutions;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.stapler.DataBoundConstructor;
import org.kohsuke.stapler.DataBoundSetter;

/** A Pipeline step that sets the transfer settings for all artifacts and stashes in its body. */
@Restricted(NoExternalUse.class)
public final class WithArtifactTransferStep extends Step {
    private TransferOverride choice = TransferOverride.NONE;

    @DataBoundConstructor
    public WithArtifactTransferStep() {}

    /** Returns one of {@link EnumSetting#CODEC}, or a value saved by a newer version; null if inherited. */
    @CheckForNull
    public String getCodec() {
        return choice.codec;
    }

    @DataBoundSetter
    public void setCodec(@CheckForNull String codec) {
        choice = choice.withCodec(codec);
    }

    @CheckForNull
    public Integer getLevel() {
        return choice.level;
    }

    @DataBoundSetter
    public void setLevel(@CheckForNull Integer level) {
        choice = choice.withLevel(level);
    }

    @CheckForNull
    public String getReuse() {
        return choice.reuse;
    }

    @DataBoundSetter
    public void setReuse(@CheckForNull String reuse) {
        choice = choice.withReuse(reuse);
    }

    /** Returns null, because only scripts use this former name of {@link #getReuse}. */
    @CheckForNull
    public String getDelta() {
        return null;
    }

    @DataBoundSetter
    public void setDelta(@CheckForNull String delta) {
        setReuse(delta);
    }

    @Override
    public StepExecution start(StepContext context) {
        return StepExecutions.block(
                context,
                (given, body) -> body.withContext(BodyInvoker.mergeLauncherDecorators(
                        given.get(LauncherDecorator.class), new Decorator(choice))));
    }

    /** Adds the step's settings to launchers. Saved with the running step to survive a restart of the controller. */
    private static final class Decorator extends LauncherDecorator implements Serializable {
        private static final long serialVersionUID = 1;

        private final TransferOverride choice;

        Decorator(TransferOverride choice) {
            this.choice = choice;
        }

        @NonNull
        @Override
        public Launcher decorate(@NonNull Launcher launcher, @NonNull Node node) {
            return new OverrideCarryingLauncher(launcher, choice);
        }
    }

    @Extension(optional = true)
    public static final class DescriptorImpl extends StepDescriptor implements OverrideFormValidation {
        public DescriptorImpl() {
            HELP.forEach(field -> addHelpFileRedirect(field, ArtifactTransferProperty.class, field));
        }

        @Override
        public String getFunctionName() {
            return "withArtifactTransfer";
        }

        @NonNull
        @Override
        public String getDisplayName() {
            return Messages.WithArtifactTransferStep_displayName();
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
