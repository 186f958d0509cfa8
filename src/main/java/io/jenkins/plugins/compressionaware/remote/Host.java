package io.jenkins.plugins.compressionaware.remote;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The machine that a JVM runs on.
 *
 * @param bootId     the kernel's identity since it was started; null where there is none to be had, as on anything but Linux
 * @param processors that the JVM may use
 */
record Host(@CheckForNull String bootId, int processors) implements Serializable {
    /** See proc_sys_kernel(5). Containers on one machine see the same. */
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    static Host current() {
        String bootId;
        try {
            bootId = Files.readString(BOOT_ID).strip();
        } catch (IOException e) {
            bootId = null;
        }
        return new Host(bootId, Runtime.getRuntime().availableProcessors());
    }

    /** Processors that both use; 0 if they run on two machines, or have different shares of one, as containers do. */
    int shared(Host other) {
        return bootId != null && equals(other) ? processors : 0;
    }
}
