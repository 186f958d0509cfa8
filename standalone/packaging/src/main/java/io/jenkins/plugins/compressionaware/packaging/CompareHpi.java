package io.jenkins.plugins.compressionaware.packaging;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.Manifest;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/** Tells in what two builds of the plugin differ. Needs the JDK alone, so that the launcher can run it as source. */
public final class CompareHpi {
    /** For people to read, and written by a Jenkins build tool alone; and the POM, which the standard build flattens for its incrementals. */
    private static final Pattern NOT_COMPARED = Pattern.compile("WEB-INF/licenses\\.xml|META-INF/maven/.*/pom\\.xml");

    private static final Pattern PROPERTIES = Pattern.compile(".*\\.(properties|stapler|javadoc)");
    private static final Pattern PLUGIN_JAR = Pattern.compile("WEB-INF/lib/compression-aware-artifacts\\.jar");
    /** About the machine and the moment of the build, not about the plugin. */
    private static final Set<String> BUILD_FACTS =
            Set.of("Created-By", "Java-Version", "Implementation-Build", "Specification-Version");

    private final List<String> differences = new ArrayList<>();

    /** @param args two .hpi files */
    public static void main(String[] args) throws IOException {
        for (String file : args) {
            if (!Files.isRegularFile(Path.of(file))) {
                System.out.println("No such file: " + file);
                System.exit(1);
            }
        }
        List<String> differences = compare(Path.of(args[0]), Path.of(args[1]));
        differences.forEach(System.out::println);
        System.out.println(
                differences.isEmpty()
                        ? "The two plugins are equal: classes, resources, libraries and manifest."
                        : differences.size() + " differences between (1) " + args[0] + " and (2) " + args[1]);
        System.exit(differences.isEmpty() ? 0 : 1);
    }

    static List<String> compare(Path first, Path second) throws IOException {
        CompareHpi comparison = new CompareHpi();
        comparison.compareEntries("", unzip(Files.readAllBytes(first)), unzip(Files.readAllBytes(second)));
        return comparison.differences;
    }

    private void compareEntries(String where, Map<String, byte[]> first, Map<String, byte[]> second)
            throws IOException {
        for (String name : union(first.keySet(), second.keySet())) {
            if (NOT_COMPARED.matcher(name).matches()) {
                continue;
            }
            byte[] one = first.get(name);
            byte[] two = second.get(name);
            if (one == null || two == null) {
                differences.add("only in (" + (one == null ? 2 : 1) + "): " + where + name);
            } else if (PLUGIN_JAR.matcher(name).matches()) {
                compareEntries(name + "!", unzip(one), unzip(two));
            } else if (name.equals("META-INF/MANIFEST.MF")) {
                compareFacts(where + name, manifest(one), manifest(two));
            } else if (!Arrays.equals(comparable(name, one), comparable(name, two))) {
                differences.add("differs: " + where + name);
            }
        }
    }

    private void compareFacts(String where, Map<String, String> first, Map<String, String> second) {
        for (String name : union(first.keySet(), second.keySet())) {
            String one = first.get(name);
            String two = second.get(name);
            if (!Objects.equals(one, two)) {
                differences.add(where + ": " + name + " is " + text(one) + " in (1), " + text(two) + " in (2)");
            }
        }
    }

    private static String text(String value) {
        return value == null ? "absent" : "\"" + value + "\"";
    }

    private static Map<String, String> manifest(byte[] bytes) throws IOException {
        Map<String, String> facts = new TreeMap<>();
        new Manifest(new ByteArrayInputStream(bytes))
                .getMainAttributes()
                .forEach((name, value) -> facts.put(name.toString(), value.toString()));
        facts.keySet().removeAll(BUILD_FACTS);
        facts.computeIfPresent("Plugin-Version", (name, version) -> version.split(" ")[0]);
        facts.computeIfPresent(
                "Plugin-Dependencies", (name, list) -> new TreeSet<>(List.of(list.split(","))).toString());
        return facts;
    }

    /** Generated properties open with the time of day. */
    private static byte[] comparable(String name, byte[] bytes) {
        if (!PROPERTIES.matcher(name).matches()) {
            return bytes;
        }
        return new String(bytes, StandardCharsets.ISO_8859_1)
                .lines()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .sorted()
                .toList()
                .toString()
                .getBytes(StandardCharsets.ISO_8859_1);
    }

    private static Map<String, byte[]> unzip(byte[] bytes) throws IOException {
        Map<String, byte[]> files = new TreeMap<>();
        try (ZipInputStream zip = new ZipInputStream(new ByteArrayInputStream(bytes))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                if (!entry.isDirectory()) {
                    files.put(entry.getName(), zip.readAllBytes());
                }
            }
        }
        return files;
    }

    private static Set<String> union(Set<String> first, Set<String> second) {
        Set<String> all = new TreeSet<>(first);
        all.addAll(second);
        return all;
    }
}
