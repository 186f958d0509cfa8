package io.jenkins.plugins.compressionaware.agent;

import hudson.Extension;
import hudson.model.Computer;
import hudson.model.listeners.ItemListener;
import io.jenkins.plugins.compressionaware.staging.Notes;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import jenkins.model.Jenkins;
import jenkins.util.Timer;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Notes in Jenkins' home what transfers are putting together. When the controller has died, the next one removes that, whether the builds go on or
 * not. No build is loaded for that.
 */
@Extension
@Restricted(NoExternalUse.class)
public final class UnderWay extends ItemListener {
    /** A controller that stands by may start while the one that it is to replace still works in the same home. Milliseconds. */
    private static final long QUIET = TimeUnit.MINUTES.toMillis(15);

    @Override
    public void onLoaded() {
        Notes notes = notes();
        Runnable cleanUp = () -> notes.cleanUp(QUIET);
        Timer.get().schedule(() -> Computer.threadPoolForRemoting.execute(cleanUp), QUIET, TimeUnit.MILLISECONDS);
    }

    /** Notes for the next controller. */
    public static Notes notes() {
        return new Notes(folder("under-way"));
    }

    /** A folder of this plugin in Jenkins' home; it may not be there. */
    public static Path folder(String name) {
        return Jenkins.get()
                .getRootDir()
                .toPath()
                .resolve("compression-aware-artifacts")
                .resolve(name);
    }
}
