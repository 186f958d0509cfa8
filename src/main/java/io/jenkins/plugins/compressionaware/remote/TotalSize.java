package io.jenkins.plugins.compressionaware.remote;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.remoting.Channel;
import hudson.remoting.VirtualChannel;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import jenkins.agents.ControllerToAgentFileCallable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Runs on the agent, in the workspace, while {@link SendFiles} works there: how many bytes that has to send. It takes a look at every file, so only a
 * transfer that takes long is asked, and most of the time this rests.
 *
 * @param id    property of the agent's channel that has the files
 * @param asTar whether to count those of the tar, about, or else of contents alone
 */
@Restricted(NoExternalUse.class)
public record TotalSize(String id, boolean asTar) implements ControllerToAgentFileCallable<Long> {
    /** How long it looks at files, nanoseconds, and then rests, milliseconds: a twentieth of one processor, for some 20,000 files a second. */
    private static final long LOOK = TimeUnit.MILLISECONDS.toNanos(2);

    private static final int REST = 40;

    private static final int RECORD = 512;

    /** Bytes that a name may have in a header of its file. */
    private static final int NAME = 99;

    /** Negative if there is no such transfer, not yet or not any more. */
    @Override
    public Long invoke(File workspace, VirtualChannel channel) throws InterruptedException {
        Map<String, String> files = files();
        if (files == null) {
            return -1L;
        }
        Path base = workspace.toPath();
        long total = asTar ? 2 * RECORD : 0;
        long start = System.nanoTime();
        for (Map.Entry<String, String> file : files.entrySet()) {
            total += size(base.resolve(file.getValue()), file.getKey());
            if (System.nanoTime() - start >= LOOK) {
                Thread.sleep(REST);
                if (files() == null) {
                    return -1L;
                }
                start = System.nanoTime();
            }
        }
        return total;
    }

    @CheckForNull
    @SuppressWarnings("unchecked")
    private Map<String, String> files() {
        return (Map<String, String>) Channel.currentOrFail().getProperty(id);
    }

    private long size(Path path, String name) {
        try {
            BasicFileAttributes attributes =
                    Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            long content = attributes.isRegularFile() ? attributes.size() : 0;
            int nameLength = name.getBytes(StandardCharsets.UTF_8).length;
            long around = RECORD + (nameLength > NAME ? RECORD + records(nameLength + 1) : 0);
            return asTar ? around + records(content) : content;
        } catch (IOException e) {
            // whoever sends it will say so
            return 0;
        }
    }

    /** What so many bytes take in a tar. */
    private static long records(long bytes) {
        return (bytes + RECORD - 1) / RECORD * RECORD;
    }
}
