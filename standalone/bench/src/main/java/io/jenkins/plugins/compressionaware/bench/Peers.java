package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.demo.DataSet;
import io.jenkins.plugins.compressionaware.demo.Sample;
import io.jenkins.plugins.compressionaware.testing.Command;
import io.jenkins.plugins.compressionaware.testing.ShapingProxy;
import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.commons.io.file.PathUtils;

/** Copies with other programs over a connection on the loopback interface, or over a simulated link. Each run starts both ends. */
final class Peers implements Closeable {
    static final List<String> WAYS = List.of("scp", "rsync", "tar");

    /** Prints its port, and becomes the program of its arguments, with a connection as standard input and output. */
    private static final String LISTEN =
            """
            use IO::Socket::INET;
            $| = 1;
            my $server = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1') or die $!;
            print $server->sockport, "\\n";
            my $connection = $server->accept or die $!;
            open STDIN, '<&', $connection;
            open STDOUT, '>&', $connection;
            exec @ARGV;
            """;

    /** {@code times} prints the CPU time of all processes that ended, in its last line. */
    private static final String TIMED = "\ncode=$?\ntimes >&2\nexit $code";

    private static final Pattern TIME = Pattern.compile("([0-9]+)m([0-9]+)[.,]([0-9]+)s");

    private static final String SSH = "-F /dev/null -c aes128-gcm@openssh.com -o IdentitiesOnly=yes -o BatchMode=yes"
            + " -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -i ";

    /** Over a simulated link, {@code scp -r} copies no more files than this: 19,000 took it 130 s at 1 Gbit/s with 0.5 ms. */
    private static final int SCP_FILES = 1_000;

    /** In the second build, the first of so many files has changed, in a tenth of its bytes. */
    private static final int CHANGED = 30;

    private final Path folder;
    private final List<String> ways;
    private final PrivateSshd sshd;
    private final Condition condition;
    /** The same for all runs. */
    private final ShapingProxy link;

    /**
     * @param folder must not exist
     * @param wanted those whose programs are not installed are skipped
     */
    Peers(Path folder, List<String> wanted, Condition condition) throws IOException, InterruptedException {
        this.folder = Files.createDirectories(folder);
        ways = wanted.stream().filter(Peers::isInstalled).toList();
        this.condition = condition;
        link = new ShapingProxy(condition.bitsPerSecond, condition.roundTrip);
        sshd = ways.stream().allMatch("tar"::equals) ? null : new PrivateSshd(folder.resolve("sshd"));
    }

    static boolean isInstalled(String way) {
        Stream<String> programs = way.equals("tar") ? Stream.of("perl", way) : Stream.of("perl", "ssh", "ssh-keygen", way);
        Optional<String> missing = programs.filter(each -> !Command.works("bash", "-c", "command -v " + each)).findFirst();
        missing = missing.isPresent() || way.equals("tar") || PrivateSshd.program().isPresent() ? missing : Optional.of("sshd");
        missing.ifPresent(program -> Bench.log("%s is not measured, because %s is not installed", way, program));
        return missing.isEmpty();
    }

    void addTo(InterleavedRuns rounds, Section section, DataSet set) {
        boolean tooMany = condition.isShaped() && set.listing().names().size() > SCP_FILES;
        for (String way : tooMany ? ways.stream().filter(each -> !each.equals("scp")).toList() : ways) {
            List<ResultRow> rows = Stream.of(way, way + "-second")
                    .filter(title -> title.equals(way) || way.equals("rsync"))
                    .map(title -> new ResultRow(section, condition.link(Transport.TCP), set.name(), title, set.listing().bytes()))
                    .toList();
            rounds.add(rows, round -> run(way, set, round == 0));
        }
    }

    /** Copies a data set, verifies the copy and deletes it. With rsync, an outdated copy is brought up to date as well. */
    List<Sample> run(String way, DataSet set, boolean compare) throws IOException, InterruptedException {
        Path copy = folder.resolve("copy");
        Files.createDirectory(copy);
        List<Sample> samples = new ArrayList<>(List.of(copy(way, set.folder(), copy)));
        check(way, set, copy, compare);
        if (way.equals("rsync")) {
            change(set, copy);
            samples.add(copy(way, set.folder(), copy));
            check(way, set, copy, compare);
        }
        PathUtils.deleteDirectory(copy);
        return samples;
    }

    private static void check(String way, DataSet set, Path copy, boolean compare) throws IOException {
        if (compare) {
            set.check(way, way.equals("scp") ? copy.resolve(set.folder().getFileName()) : copy);
        }
    }

    private static void change(DataSet set, Path copy) throws IOException {
        int number = 0;
        for (String name : set.listing().names()) {
            if (number++ % CHANGED == 0) {
                try (RandomAccessFile file = new RandomAccessFile(copy.resolve(name).toFile(), "rw")) {
                    byte[] other = new byte[(int) (file.length() / 10)];
                    file.seek(file.length() / 2);
                    file.write(other);
                }
            }
        }
    }

    private Sample copy(String way, Path from, Path to) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("bash", "-c", "\"$@\"" + TIMED, "bash", "perl", "-e", LISTEN));
        command.addAll(way.equals("tar") ? List.of("tar", "xpf", "-", "-C", to.toString()) : sshd.oneConnection());
        Path received = folder.resolve("receiver.log");
        Path sent = folder.resolve("sender.log");
        Process receiver = new ProcessBuilder(command).redirectError(received.toFile()).start();
        int listening = Integer.parseInt(receiver.inputReader().readLine());
        int port = condition.isShaped() ? link.portTo(listening) : listening;
        String options = way.equals("tar") ? "" : SSH + sshd.keyFile();
        String copies =
                switch (way) {
                    case "scp" -> "scp -q -r -p -P " + port + " " + options + " \"$1\" \"127.0.0.1:$2\"";
                    case "rsync" -> "rsync -a -e 'ssh -p " + port + " " + options + "' \"$1/\" \"127.0.0.1:$2\"";
                    default -> "tar cf - -C \"$1\" . > /dev/tcp/127.0.0.1/" + port;
                };
        long start = System.nanoTime();
        Process sender = new ProcessBuilder("bash", "-c", copies + TIMED, "bash", from.toString(), to.toString())
                .redirectErrorStream(true)
                .redirectOutput(sent.toFile())
                .start();
        boolean failed = sender.waitFor() != 0;
        if (failed) {
            receiver.descendants().forEach(ProcessHandle::destroy);
            receiver.destroy();
        }
        // sshd always ends with an error
        failed |= receiver.waitFor() != 0 && way.equals("tar");
        Sample sample = new Sample();
        sample.wallSeconds = (System.nanoTime() - start) / 1e9;
        if (failed) {
            throw new IOException(way + " failed: " + Files.readString(sent) + Files.readString(received));
        }
        sample.agentCpu = cpuSeconds(sent);
        sample.controllerCpu = cpuSeconds(received);
        return sample;
    }

    private static double cpuSeconds(Path log) throws IOException {
        List<String> lines = Files.readAllLines(log);
        Matcher times = TIME.matcher(lines.get(lines.size() - 1));
        return times.results()
                .mapToDouble(time -> Integer.parseInt(time.group(1)) * 60 + Double.parseDouble(time.group(2) + "." + time.group(3)))
                .sum();
    }

    @Override
    public void close() throws IOException {
        link.close();
        if (sshd != null) {
            sshd.close();
        }
    }
}
