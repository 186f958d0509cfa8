package io.jenkins.plugins.compressionaware.provisioning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarInputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Jars for agents depend on no file except the plugin's own. */
class JarsInMemoryTest {
    private static final String TEMPORARY = "java.io.tmpdir";

    @TempDir
    Path temp;

    private static Set<String> names(URL jar) throws IOException {
        Set<String> names = new HashSet<>();
        try (JarInputStream in = new JarInputStream(jar.openStream())) {
            for (JarEntry entry = in.getNextJarEntry(); entry != null; entry = in.getNextJarEntry()) {
                assertTrue(in.readAllBytes().length > 0, entry.getName());
                names.add(entry.getName());
            }
        }
        return names;
    }

    private static Set<Path> temporaryJars() throws IOException {
        try (Stream<Path> files = Files.list(Path.of(System.getProperty(TEMPORARY)))) {
            return files.filter(file -> file.toString().endsWith(".jar")).collect(Collectors.toSet());
        }
    }

    /** Operating systems delete old temporary files while Jenkins runs. */
    @ParameterizedTest
    @EnumSource(AgentJar.class)
    void jarSurvivesEmptiedTemporaryFolder(AgentJar jar) throws Exception {
        Set<Path> before = temporaryJars();
        Set<String> names = names(jar.url());
        Set<Path> made = temporaryJars();
        made.removeAll(before);
        for (Path file : made) {
            Files.delete(file);
        }
        assertEquals(names, names(jar.url()));
        assertFalse(names.isEmpty());
    }

    @Test
    void jarNeedsNoTemporaryFolder() throws Exception {
        String usual = System.setProperty(TEMPORARY, temp.resolve("missing").toString());
        try {
            URL jar = InMemoryJar.of("any", InMemoryJar.closure(List.of(Codec.class)));
            assertTrue(names(jar).contains("io/jenkins/plugins/compressionaware/engine/codec/FrameHeader.class"));
        } finally {
            System.setProperty(TEMPORARY, usual);
        }
    }

    @Test
    void codecJarContainsNativeLibrary() throws Exception {
        CodecJar jar = CodecJar.of("linux/amd64");
        assertEquals(
                List.of(jar.library()),
                names(jar.url()).stream().filter(name -> name.endsWith(".so")).toList());
    }
}
