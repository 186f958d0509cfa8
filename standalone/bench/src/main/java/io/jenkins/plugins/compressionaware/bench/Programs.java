package io.jenkins.plugins.compressionaware.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Runs other programs and tells their CPU time. */
final class Programs {
    private static final List<String> FOLDERS = List.of("/usr/bin", "/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin");

    private Programs() {}

    /** Where a program is installed. */
    static Optional<Path> find(String name) {
        return Stream.concat(
                        Stream.of(System.getenv("PATH").split(":")), FOLDERS.stream())
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /**
     * CPU seconds of the process and its ended children, from bash's own count.
     *
     * @param command for bash; its output is thrown away
     */
    static Started start(Path folder, String command, String... arguments) throws IOException {
        Path times = Files.createTempFile(folder, "times", "");
        List<String> all = new ArrayList<>(List.of(
                "bash",
                "-c",
                "TIMEFORMAT='cpu %U %S'; { time { " + command + "; } 2>&3; } 3>&2 2>\"$0\"",
                times.toString()));
        all.addAll(List.of(arguments));
        return new Started(new ProcessBuilder(all).start(), times);
    }

    /** A running program. */
    record Started(Process process, Path times) {
        private static final Pattern CPU = Pattern.compile("cpu ([0-9.]+) ([0-9.]+)");

        /**
         * Waits for its end.
         *
         * @throws IOException if its exit code is not 0
         */
        double cpuSeconds() throws IOException, InterruptedException {
            int code = process.waitFor();
            String text = Files.readString(times);
            Files.delete(times);
            Matcher matcher = CPU.matcher(text);
            if (code != 0 || !matcher.find()) {
                throw new IOException("Exit code " + code + ": " + new String(process.getErrorStream().readAllBytes()));
            }
            return Double.parseDouble(matcher.group(1)) + Double.parseDouble(matcher.group(2));
        }
    }
}
