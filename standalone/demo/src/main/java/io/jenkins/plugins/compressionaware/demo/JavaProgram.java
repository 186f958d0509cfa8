package io.jenkins.plugins.compressionaware.demo;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Starts and stops programs of the running JDK in separate processes. */
public final class JavaProgram {
    private static final int STOP_TIMEOUT_SECONDS = 20;

    private JavaProgram() {}

    /** Returns the path of a program of the JDK. */
    public static String path(String name) {
        return Path.of(System.getProperty("java.home"), "bin", name).toString();
    }

    /**
     * Returns a JVM with the class path of this JVM.
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

    /** Returns the CPU seconds of a process as measured by the OS, in steps of 10 ms on Linux. */
    public static double cpuSeconds(ProcessHandle process) {
        return process.info().totalCpuDuration().orElseThrow().toNanos() / 1e9;
    }

    /** Stops a process and waits for its end, then kills it. */
    public static void end(ProcessHandle process) {
        process.destroy();
        process.onExit()
                .completeOnTimeout(process, STOP_TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .join();
        process.destroyForcibly();
    }
}
