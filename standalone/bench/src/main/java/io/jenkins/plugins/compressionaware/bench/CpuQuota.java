package io.jenkins.plugins.compressionaware.bench;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A control group whose processes have half a processor together. */
final class CpuQuota implements Closeable {
    /** Of every 100 ms. */
    private static final int MICROSECONDS = 50_000;

    private static final Path ROOT = Path.of("/sys/fs/cgroup");

    private final Path group;

    /**
     * @throws IOException if this user cannot have one on this machine
     */
    CpuQuota() throws IOException {
        boolean v2 = Files.exists(ROOT.resolve("cgroup.controllers"));
        Path parent = v2 ? ROOT : ROOT.resolve("cpu");
        group = Files.createDirectory(parent.resolve("bench-" + ProcessHandle.current().pid()));
        try {
            if (v2) {
                Files.writeString(group.resolve("cpu.max"), MICROSECONDS + " 100000");
            } else {
                Files.writeString(group.resolve("cpu.cfs_quota_us"), Integer.toString(MICROSECONDS));
            }
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    /** For a shell, which then belongs to the group, as do its children. */
    String enter() {
        return "echo $$ > " + group.resolve("cgroup.procs") + "; ";
    }

    /** Its processes have ended. */
    @Override
    public void close() throws IOException {
        Files.delete(group);
    }
}
