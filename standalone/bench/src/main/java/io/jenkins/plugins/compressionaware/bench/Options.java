package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.demo.DataSets;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

/**
 * The options of the command line, described in the script {@code bench} of the root folder. Null means the default.
 */
final class Options {
    @Option(names = "--jenkins")
    boolean jenkins;

    @Option(names = "--sections", split = ",")
    private List<Section> sections;

    @Option(names = "--data", split = ",")
    List<String> data = DataSets.NAMES;

    @Option(names = "--ways", split = ",")
    private List<String> ways;

    /** Transports of fresh agents. */
    @Option(names = "--transports", split = ",")
    List<Transport> transports = List.of(Transport.values());

    /** Sizes of the archives of fresh agents. */
    @Option(names = "--sizes", split = ",")
    List<Size> sizes =
            Stream.of("10KB", "1MB", "5MB", "20MB", "100MB").map(Size::of).toList();

    @Option(names = "--conditions", split = ",")
    List<Condition> conditions = List.of(Condition.values());

    /** Simulated slow disks. */
    @Option(names = "--disks", split = ",")
    List<SlowDisk> disks = List.of(SlowDisk.values());

    /** Number of runs of each way. */
    @Option(names = "--rounds")
    int rounds = 5;

    /** MiB of each of jars, text and mix, and of a history; the limit of small. */
    @Option(names = "--size")
    Integer size;

    /** MiB. */
    @Option(names = "--random-size")
    int randomSize = 1024;

    @Option(names = "--out")
    Path out;

    /** Whether to keep the sections of an earlier report that are not measured now. */
    @Option(names = "--add")
    boolean add;

    /** Whether to write the pages of the report in {@link #out} again, without measuring. */
    @Option(names = "--pages")
    boolean pages;

    @Option(names = "--maven-repository")
    Path repository;

    @Option(names = "--war")
    Path war;

    @Option(names = "--plugins")
    Path plugins;

    /** Another build of the plugin to measure in the same run, or null. */
    @Option(names = "--plugin")
    Path plugin;

    /** The plugin Compress Artifacts, or null. */
    @Option(names = "--compress-artifacts")
    Path compressArtifacts;

    /** A folder with the plugin Artifact Manager on S3 and the plugins that it needs, or null. */
    @Option(names = "--artifact-manager-s3")
    Path artifactManagerS3;

    @Option(names = "--command")
    String command = "";

    /** Size of an archive of a fresh agent. */
    record Size(String name, long bytes) {
        private static final Pattern TEXT = Pattern.compile("([1-9][0-9]{0,6})(KB|MB)");

        static Size of(String text) {
            Matcher matcher = TEXT.matcher(text);
            if (!matcher.matches()) {
                throw new TypeConversionException("Expected a size such as 10KB or 5MB, not '" + text + "'");
            }
            String unit = matcher.group(2);
            return new Size(
                    matcher.group(1) + " " + unit,
                    Long.parseLong(matcher.group(1)) * (unit.equals("KB") ? 1_000 : 1_000_000));
        }
    }

    /** @throws ParameterException with a message for the user */
    static Options parse(String... args) {
        Options options = new Options();
        CommandLine line = new CommandLine(options)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .registerConverter(Size.class, Size::of)
                .registerConverter(int.class, Options::positive)
                .registerConverter(Integer.class, Options::positive);
        line.parseArgs(args);
        check(line, "--data", options.data, DataSets.NAMES, BuildHistories.NAMES);
        check(line, "--ways", options.ways(List.of()), JenkinsBench.WAYS, BuildHistories.DELTAS);
        return options;
    }

    private static int positive(String value) {
        int number = Integer.parseInt(value);
        if (number < 1) {
            throw new TypeConversionException("Expected a number above 0, not '" + value + "'");
        }
        return number;
    }

    private static void check(
            CommandLine line, String option, List<String> values, List<String> usual, List<String> others) {
        List<String> allowed = Stream.concat(usual.stream(), others.stream()).toList();
        values.stream().filter(name -> !allowed.contains(name)).findFirst().ifPresent(name -> {
            throw new ParameterException(
                    line, option + " accepts " + String.join(", ", allowed) + ", not '" + name + "'");
        });
    }

    /** Returns whether to measure a section: the named ones, else those for the chosen mode that files in memory suffice for. */
    boolean wants(Section section) {
        return sections == null
                ? jenkins != (section == Section.ENGINE)
                        && section != Section.LARGE
                        && section != Section.READ
                        && (section != Section.STORE || artifactManagerS3 != null)
                : sections.contains(section);
    }

    /** Returns the ways of Jenkins and of the plugin. */
    List<String> ways(List<String> usual) {
        return ways == null
                ? usual
                : ways.stream()
                        .filter(way -> !Peers.WAYS.contains(way) && !way.equals(StoreRuns.PLUGIN))
                        .toList();
    }

    /** Returns the ways of the section with a store. */
    List<String> storeWays() {
        return StoreRuns.WAYS.stream()
                .filter(way -> ways == null || ways.contains(way))
                .toList();
    }

    List<String> peers() {
        return ways == null
                ? Peers.WAYS
                : ways.stream().filter(Peers.WAYS::contains).toList();
    }

    /** Returns the transports of agents that outlive a build. */
    List<Transport> warmTransports() {
        return transports.stream().filter(any -> any != Transport.SSH).toList();
    }

    /** Returns the first of these for sections that compare other things than transports, or nothing if there is none. */
    List<Transport> oneWarmTransport() {
        return warmTransports().stream().limit(1).toList();
    }

    /** Returns the size of a data set in bytes, as set by the user or as given in MiB. */
    long size(int usualMebibytes) {
        return (long) (size == null ? usualMebibytes : size) << 20;
    }
}
