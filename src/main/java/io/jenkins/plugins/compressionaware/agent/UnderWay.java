package io.jenkins.plugins.compressionaware.agent;

import hudson.Extension;
import hudson.model.Computer;
import hudson.model.listeners.ItemListener;
import io.jenkins.plugins.compressionaware.staging.Notes;
import java.nio.file.Path;
import jenkins.model.Jenkins;

/**
 * Notes in Jenkins' home which archives have a transfer under way. When the controller has died, the next start removes what the transfers have
 * left beside them, whether their builds go on or not. No build is loaded for that.
 */
@Extension
public final class UnderWay extends ItemListener {
    /**
     * A transfer is under way until the note is closed.
     *
     * @param archive or a partial file
     * @throws InterruptedException if interrupted while another transfer changes the archive
     */
    public static Notes.Note begin(Path archive) throws InterruptedException {
        return notes().begin(archive);
    }

    /** Does not keep the start waiting. */
    @Override
    public void onLoaded() {
        Notes notes = notes();
        Computer.threadPoolForRemoting.execute(() -> {
            try {
                notes.cleanUp();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // Jenkins stops: the next start goes on
            }
        });
    }

    private static Notes notes() {
        return new Notes(Jenkins.get()
                .getRootDir()
                .toPath()
                .resolve("compression-aware-artifacts")
                .resolve("under-way"));
    }
}
