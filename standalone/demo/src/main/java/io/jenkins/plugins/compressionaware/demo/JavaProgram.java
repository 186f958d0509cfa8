package io.jenkins.plugins.compressionaware.demo;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Programs of the JDK that runs this, in processes of their own. */
public final class JavaProgram {
    private static final int SECONDS_TO_END = 20;

    private JavaProgram() {}

    /** Path of a program of the JDK. */
    public static String path(String name) {
        return Path.of(System.getProperty("java.home"), "bin", name).toString();
    }

    /**
     * A JVM with the class path of this one.
     *
     * @param options of the JVM
     */
    public static ProcessBuilder of(List<String> options, Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>(List.of(path("java")));
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    }

    /** CPU time of a process, without asking its JVM; in steps of 10 ms on Linux. */
    public static double cpuSeconds(ProcessHandle process) {
        return process.info().totalCpuDuration().orElseThrow().toNanos() / 1e9;
    }

    /** Ends a process and waits for its end, by force after a while. */
    public static void end(ProcessHandle process) {
        process.destroy();
        process.onExit()
                .completeOnTimeout(process, SECONDS_TO_END, TimeUnit.SECONDS)
                .join();
        process.destroyForcibly();
    }
}
