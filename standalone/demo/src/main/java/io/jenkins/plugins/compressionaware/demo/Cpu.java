package io.jenkins.plugins.compressionaware.demo;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** CPU time of this JVM, with its compiler and garbage collector. */
public final class Cpu {
    private static final OperatingSystemMXBean PROCESS =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    private Cpu() {}

    public static long nanos() {
        return PROCESS.getProcessCpuTime();
    }
}
