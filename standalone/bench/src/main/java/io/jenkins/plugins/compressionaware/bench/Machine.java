package io.jenkins.plugins.compressionaware.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * What it was measured on.
 *
 * @param memory     bytes
 * @param fileSystem type of the file system with the data and the archives
 * @param load       mean number of runnable threads in the minute before
 */
record Machine(
        String processor, int cores, long memory, String system, String jdk, String fileSystem, double load) {
    private static final Path PROCESSORS = Path.of("/proc/cpuinfo");

    static Machine of(Path temp) throws IOException {
        OperatingSystemMXBean os = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        return new Machine(
                processorName(),
                os.getAvailableProcessors(),
                os.getTotalMemorySize(),
                os.getName() + " " + os.getVersion() + " " + os.getArch(),
                System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"),
                Files.getFileStore(temp).type(),
                os.getSystemLoadAverage());
    }

    private static String processorName() throws IOException {
        if (!Files.isReadable(PROCESSORS)) {
            return System.getProperty("os.arch");
        }
        try (Stream<String> lines = Files.lines(PROCESSORS)) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse(System.getProperty("os.arch"));
        }
    }

    String describe() {
        return String.format(
                "%s, %d cores, %.0f GiB memory, %s, %s, files on %s, load %.1f at the start",
                processor, cores, memory / (double) (1 << 30), system, jdk, fileSystem, load);
    }
}
