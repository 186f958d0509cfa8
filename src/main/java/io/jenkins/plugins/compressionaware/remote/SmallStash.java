package io.jenkins.plugins.compressionaware.remote;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.remoting.RemoteOutputStream;
import hudson.remoting.VirtualChannel;
import hudson.util.DirScanner;
import hudson.util.FileVisitor;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.util.Iterator;
import java.util.TreeSet;
import jenkins.agents.ControllerToAgentFileCallable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Finds the files of a stash as core does, and sends them as {@link FirstFiles} does if they are few and small. Like that, it needs as few classes as
 * possible, and is therefore its own visitor.
 */
@Restricted(NoExternalUse.class)
public final class SmallStash extends FileVisitor implements ControllerToAgentFileCallable<Void> {
    private static final long serialVersionUID = 1L;

    private static final int MOST_FILES = 1_000;

    private final String includes;

    @CheckForNull
    private final String excludes;

    private final boolean useDefaultExcludes;
    private final int blockSize;
    private final int most;
    private final RemoteOutputStream lane;
    private transient TreeSet<String> found;
    private transient long bytes;

    /**
     * @param includes  patterns of Ant, separated by commas
     * @param excludes  the same, to leave out; null for none
     * @param blockSize see {@link FirstFiles}
     * @param most      most bytes of contents: the agent's other answers wait meanwhile, as they would for one file that core sends
     * @param lane      takes the frames and then the answer; closed by the call
     */
    public SmallStash(
            String includes,
            @CheckForNull String excludes,
            boolean useDefaultExcludes,
            int blockSize,
            int most,
            RemoteOutputStream lane) {
        this.includes = includes;
        this.excludes = excludes;
        this.useDefaultExcludes = useDefaultExcludes;
        this.blockSize = blockSize;
        this.most = most;
        this.lane = lane;
    }

    /** Sends nothing if the engine has to do everything. */
    @Override
    public Void invoke(File workspace, VirtualChannel channel) throws IOException {
        try {
            send(workspace);
            return null;
        } finally {
            lane.close();
        }
    }

    private void send(File workspace) throws IOException {
        found = new TreeSet<>();
        new DirScanner.Glob(includes, excludes, useDefaultExcludes).scan(workspace, this);
        if (bytes > most || found.size() > MOST_FILES) {
            return;
        }
        ByteArrayOutputStream names = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(names);
        Iterator<String> each = found.iterator();
        while (each.hasNext()) {
            String path = each.next();
            // as core does before it writes a name into a tar
            out.writeUTF(File.separatorChar == '\\' ? path.replace('\\', '/') : path);
            out.writeUTF(path);
        }
        ByteArrayOutputStream frames = new ByteArrayOutputStream();
        FirstFiles files = new FirstFiles(null, 0, 0, blockSize, most, lane);
        files.stash = true;
        if (files.send(workspace, names.toByteArray(), frames)) {
            frames.writeTo(lane);
        }
    }

    @Override
    public void visit(File file, String path) {
        bytes += file.length();
        add(path);
    }

    @Override
    public void visitSymlink(File link, String target, String path) {
        add(path);
    }

    @Override
    public boolean understandsSymlink() {
        return true;
    }

    private void add(String path) {
        if (found.size() <= MOST_FILES) {
            found.add(path);
        }
    }
}
