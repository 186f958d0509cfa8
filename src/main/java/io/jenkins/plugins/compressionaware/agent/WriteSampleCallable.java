package io.jenkins.plugins.compressionaware.agent;

import hudson.remoting.VirtualChannel;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import jenkins.agents.ControllerToAgentFileCallable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Writes the files of the artifact transfer test into an empty folder of the agent: a log, and random bytes, which compress as badly as a jar. */
@Restricted(NoExternalUse.class)
public record WriteSampleCallable() implements ControllerToAgentFileCallable<Void> {
    /** Approximate size of each archived file, bytes. */
    public static final int FILE_SIZE = 512 * 1024;

    private static final String LOG = "build.log";
    private static final String JAR = "library.jar";

    /**
     * Returns the names of the first {@code count} files in the archive, mapped to paths in the folder. Each path is listed under many names, so that the
     * agent's disk has hardly any work.
     */
    public static Map<String, String> files(int count) {
        Map<String, String> files = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            String path = i % 2 == 0 ? LOG : JAR;
            files.put(i + "-" + path, path);
        }
        return files;
    }

    @Override
    public Void invoke(File folder, VirtualChannel channel) throws IOException {
        Random random = new Random(1);
        Files.writeString(folder.toPath().resolve(LOG), log(random));
        Files.write(folder.toPath().resolve(JAR), noise(random));
        return null;
    }

    private static byte[] noise(Random random) {
        byte[] noise = new byte[FILE_SIZE];
        random.nextBytes(noise);
        return noise;
    }

    private static String log(Random random) {
        StringBuilder log = new StringBuilder();
        for (long millis = 0; log.length() < FILE_SIZE; millis += random.nextInt(400)) {
            log.append(String.format(
                    "12:%02d:%02d.%03d [worker-%d] INFO  org.example.Step - Compiled Source%d.java, %d classes, %x%n",
                    millis / 60_000 % 60,
                    millis / 1000 % 60,
                    millis % 1000,
                    random.nextInt(8),
                    random.nextInt(2000),
                    random.nextInt(30),
                    random.nextInt()));
        }
        return log.toString();
    }
}
