package io.jenkins.plugins.compressionaware.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompareHpiTest {
    private static final String JAR = "WEB-INF/lib/compression-aware-artifacts.jar";
    private static final String POM = "META-INF/maven/group/artifact/pom.xml";

    @TempDir
    Path directory;

    @Test
    void timesTheOrderOfFactsAndAFlattenedPomDoNotMatter() throws IOException {
        assertEquals(
                List.of(),
                compare(
                        manifest("Plugin-Version: 1 (x)\nCreated-By: a\nPlugin-Dependencies: a:1,b:2\n"),
                        Map.of("a/B.class", "1", "a/B.stapler", "#today\nconstructor=a", POM, "flattened"),
                        manifest("Plugin-Dependencies: b:2,a:1\nPlugin-Version: 1 (y)\n"),
                        Map.of("a/B.class", "1", "a/B.stapler", "#tomorrow\nconstructor=a", POM, "as written")));
    }

    @Test
    void eachDifferenceIsNamed() throws IOException {
        assertEquals(
                List.of(
                        "META-INF/MANIFEST.MF: Plugin-Dependencies is \"[a:1]\" in (1), absent in (2)",
                        "differs: " + JAR + "!a/B.class",
                        "only in (1): " + JAR + "!a/C.class",
                        "only in (2): WEB-INF/lib/new.jar"),
                compare(
                        manifest("Plugin-Dependencies: a:1\n"),
                        Map.of("a/B.class", "1", "a/C.class", "1"),
                        Map.of("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n", "WEB-INF/lib/new.jar", ""),
                        Map.of("a/B.class", "2")));
    }

    private static Map<String, String> manifest(String facts) {
        return Map.of("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n" + facts);
    }

    private List<String> compare(
            Map<String, String> first,
            Map<String, String> firstJar,
            Map<String, String> second,
            Map<String, String> secondJar)
            throws IOException {
        return CompareHpi.compare(hpi("first", first, firstJar), hpi("second", second, secondJar));
    }

    private Path hpi(String name, Map<String, String> entries, Map<String, String> jar) throws IOException {
        Map<String, byte[]> all = bytes(entries);
        all.put(JAR, zip(bytes(jar)));
        return Files.write(directory.resolve(name), zip(all));
    }

    private static Map<String, byte[]> bytes(Map<String, String> entries) {
        Map<String, byte[]> bytes = new TreeMap<>();
        entries.forEach((name, text) -> bytes.put(name, text.getBytes(StandardCharsets.UTF_8)));
        return bytes;
    }

    private static byte[] zip(Map<String, byte[]> entries) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(out)) {
            for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
                zip.putNextEntry(new ZipEntry(entry.getKey()));
                zip.write(entry.getValue());
            }
        }
        return out.toByteArray();
    }
}
