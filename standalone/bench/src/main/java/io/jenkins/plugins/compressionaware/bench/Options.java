package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.demo.DataSets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The command line of the Java part; the script of the root folder explains it. Null means that the user has not said. */
final class Options {
    private static final Pattern SIZE = Pattern.compile("([1-9][0-9]{0,6})(KB|MB)");

    boolean jenkins;
    Set<Section> sections;
    List<String> data = DataSets.NAMES;
    List<String> ways;
    List<String> transports = List.of("tcp", "websocket");
    /** Of fresh agents. */
    List<String> freshTransports = List.of("websocket", "tcp", "ssh");
    /** Of what fresh agents archive, bytes by name. */
    Map<String, Long> sizes = sizes("10KB,1MB,5MB,20MB,100MB");

    List<Condition> conditions = List.of(Condition.values());
    /** By each fresh agent. */
    Integer archives;

    /** Of those that are made slow. */
    List<SlowDisk> disks = List.of(SlowDisk.values());
    /** On slow disks. */
    List<String> steps = SlowDisks.STEPS;
    /** How many, on slow disks. */
    List<Long> files = List.of(20_000L, 2_000L);

    List<String> agentOptions = List.of();
    /** How often each way runs. */
    int rounds = 5;
    /** Bytes of each of jars, text and mix. */
    Long size;

    long randomSize = 1L << 30;
    Path out;
    Path repository;
    Path war;
    Path plugins;
    /** Another build of the plugin, to be measured in the same run; null for none. */
    Path plugin;
    String command = "";

    /**
     * @throws IllegalArgumentException with a message for the user
     */
    static Options parse(String... args) {
        Options options = new Options();
        for (String arg : args) {
            int equals = arg.indexOf('=');
            options.set(equals < 0 ? arg : arg.substring(0, equals), equals < 0 ? "" : arg.substring(equals + 1));
        }
        return options;
    }

    private void set(String name, String value) {
        switch (name) {
            case "--jenkins" -> jenkins = true;
            case "--sections" -> sections = sections(value);
            case "--data" -> data = list(name, value, with(DataSets.NAMES, Histories.NAMES));
            case "--ways" -> ways = list(name, value, with(JenkinsBench.WAYS, Histories.DELTAS));
            case "--transports" -> transports(list(name, value, List.of("tcp", "websocket", "ssh")));
            case "--sizes" -> sizes = sizes(value);
            case "--conditions" ->
                conditions = list(name, value, Condition.ids()).stream()
                        .map(Condition::ofId)
                        .toList();
            case "--disks" ->
                disks = list(name, value, SlowDisk.ids()).stream()
                        .map(SlowDisk::ofId)
                        .toList();
            case "--steps" -> steps = list(name, value, SlowDisks.STEPS);
            case "--files" ->
                files = list(name, value).stream()
                        .map(count -> number(name, count))
                        .toList();
            case "--archives" -> archives = Math.toIntExact(Math.min(3, number(name, value)));
            case "--agent-options" -> agentOptions = List.of(value.split(" "));
            case "--plugin" -> plugin = Path.of(value);
            case "--rounds" -> rounds = Math.toIntExact(number(name, value));
            case "--size" -> size = number(name, value) << 20;
            case "--random-size" -> randomSize = number(name, value) << 20;
            case "--out" -> out = Path.of(value);
            case "--maven-repository" -> repository = Path.of(value);
            case "--war" -> war = Path.of(value);
            case "--plugins" -> plugins = Path.of(value);
            case "--command" -> command = value;
            default -> throw new IllegalArgumentException("Unknown option '" + name + "'");
        }
    }

    private void transports(List<String> said) {
        freshTransports = said;
        transports = said.stream().filter(transport -> !transport.equals("ssh")).toList();
    }

    private static Map<String, Long> sizes(String value) {
        Map<String, Long> sizes = new LinkedHashMap<>();
        for (String size : list("--sizes", value)) {
            Matcher matcher = SIZE.matcher(size);
            if (!matcher.matches()) {
                throw new IllegalArgumentException("--sizes takes such as 10KB and 5MB, not '" + size + "'");
            }
            long unit = matcher.group(2).equals("KB") ? 1_000 : 1_000_000;
            sizes.put(matcher.group(1) + " " + matcher.group(2), Long.parseLong(matcher.group(1)) * unit);
        }
        return sizes;
    }

    private static List<String> with(List<String> usual, List<String> others) {
        List<String> all = new ArrayList<>(usual);
        all.addAll(others);
        return all;
    }

    private static Set<Section> sections(String value) {
        Set<Section> sections = EnumSet.noneOf(Section.class);
        List<String> known = Arrays.stream(Section.values())
                .map(section -> section.name().toLowerCase(Locale.ROOT))
                .toList();
        list("--sections", value, known).forEach(name -> sections.add(Section.valueOf(name.toUpperCase(Locale.ROOT))));
        return sections;
    }

    private static List<String> list(String option, String value, List<String> known) {
        List<String> list = list(option, value);
        List<String> unknown =
                list.stream().filter(Predicate.not(known::contains)).toList();
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException(option + " knows " + String.join(", ", known) + ", not " + unknown.get(0));
        }
        return list;
    }

    private static List<String> list(String option, String value) {
        List<String> list = new ArrayList<>(Arrays.asList(value.split(",")));
        list.removeIf(String::isBlank);
        if (list.isEmpty()) {
            throw new IllegalArgumentException(option + " needs a value");
        }
        return list;
    }

    private static long number(String option, String value) {
        try {
            long number = Long.parseLong(value);
            if (number > 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new IllegalArgumentException(option + " needs a number above 0, not '" + value + "'");
    }

    /** Whether to measure a part that belongs to the Jenkins run or not. */
    boolean wants(Section section) {
        return sections == null ? jenkins != (section == Section.ENGINE) : sections.contains(section);
    }
}
