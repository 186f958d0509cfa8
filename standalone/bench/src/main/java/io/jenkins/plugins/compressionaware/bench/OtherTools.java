package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.demo.Cpu;
import io.jenkins.plugins.compressionaware.demo.DataSet;
import io.jenkins.plugins.compressionaware.demo.DataSets;
import io.jenkins.plugins.compressionaware.demo.TempFolder;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What {@code cp}, {@code tar} over a bare TCP connection and {@code scp} take for the same files. */
final class OtherTools {
    private final Options options;
    private final DataSets dataSets;
    private final Path temp;
    private final Progress progress;
    private int copies;

    OtherTools(Options options, DataSets dataSets, Path temp, Progress progress) {
        this.options = options;
        this.dataSets = dataSets;
        this.temp = temp;
        this.progress = progress;
    }

    /** Copies a folder's content into an empty one and returns the CPU seconds of all processes. */
    private interface Tool {
        double copy(Path from, Path to) throws IOException, InterruptedException;
    }

    List<Row> measure() throws IOException, InterruptedException {
        List<Row> rows = new ArrayList<>();
        try (PrivateSshd sshd = new PrivateSshd(temp.resolve("sshd"))) {
            for (String name : options.data) {
                DataSet set = dataSets.get(name, JenkinsBench.size(options, name));
                Rounds rounds = new Rounds(options.rounds, progress);
                add(rounds, rows, set, "cp -r", this::cp, List.of("cp"));
                add(rounds, rows, set, "tar over TCP", this::tar, List.of("tar"));
                add(rounds, rows, set, "scp -r", sshd::copy, PrivateSshd.PROGRAMS);
                rows.addAll(rounds.run());
            }
        }
        return rows;
    }

    private void add(Rounds rounds, List<Row> rows, DataSet set, String name, Tool tool, List<String> programs) {
        Optional<String> missing = programs.stream()
                .filter(program -> Programs.find(program).isEmpty())
                .findFirst();
        if (missing.isPresent()) {
            rows.add(Row.missing(Section.TOOLS, "this machine", set.name(), name, missing.get() + " is not installed"));
            return;
        }
        Row row = new Row(
                Section.TOOLS, "this machine", set.name(), name, set.listing().bytes());
        rounds.add(row, round -> run(set, name, tool, round == 0));
    }

    private Sample run(DataSet set, String name, Tool tool, boolean compare) throws IOException, InterruptedException {
        Path to = Files.createDirectory(temp.resolve("copy-" + ++copies));
        long start = System.nanoTime();
        double cpu = tool.copy(set.folder(), to);
        double wall = (System.nanoTime() - start) / 1e9;
        if (compare) {
            set.check(name, to);
        }
        TempFolder.delete(to);
        return Sample.ofWallAndCpu(wall, cpu);
    }

    private double cp(Path from, Path to) throws IOException, InterruptedException {
        return Programs.start(temp, "cp -pr \"$1/.\" \"$2\"", from.toString(), to.toString())
                .cpuSeconds();
    }

    /** Bash itself connects tar's output; this JVM stands for the program that would listen. */
    private double tar(Path from, Path to) throws IOException, InterruptedException {
        long own = Cpu.nanos();
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Programs.Started sender = Programs.start(
                    temp,
                    "tar -C \"$1\" -cf - . > /dev/tcp/127.0.0.1/$2",
                    from.toString(),
                    Integer.toString(server.getLocalPort()));
            Programs.Started receiver = Programs.start(temp, "tar -C \"$1\" -xf -", to.toString());
            try (Socket socket = server.accept();
                    InputStream in = socket.getInputStream();
                    OutputStream out = receiver.process().getOutputStream()) {
                in.transferTo(out);
            }
            return sender.cpuSeconds() + receiver.cpuSeconds() + (Cpu.nanos() - own) / 1e9;
        }
    }
}
