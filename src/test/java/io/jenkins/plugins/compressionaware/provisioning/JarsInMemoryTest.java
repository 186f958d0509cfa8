package io.jenkins.plugins.compressionaware.provisioning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.CodecLibrary;
import io.jenkins.plugins.compressionaware.engine.codec.FrameCodec;
import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Frame;
import io.jenkins.plugins.compressionaware.testing.Jvm;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
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
import net.jpountz.util.Native;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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

    @ParameterizedTest
    @EnumSource(CodecLibrary.class)
    void codecJarContainsNativeCodeOfItsPlatformOnly(CodecLibrary library) throws Exception {
        CodecJar jar = CodecJar.of(library, "linux/amd64");
        assertEquals(
                List.of(jar.nativeCode()),
                names(jar.url()).stream()
                        .filter(name -> !name.endsWith(".class"))
                        .toList());
    }

    /** lz4-java also works in plain Java. */
    @Test
    void jarForOtherPlatformsContainsNoNativeCode() throws Exception {
        CodecJar jar = CodecJar.of(CodecLibrary.LZ4, "plan9/mips");
        assertNull(jar.nativeCode());
        assertSame(jar, CodecJar.of(CodecLibrary.LZ4, "linux/../linux/amd64"));
        assertTrue(names(jar.url()).stream().allMatch(name -> name.endsWith(".class")));
    }

    /** The library works in a class loader that has only the classes of the jar, with native code and without. */
    @ParameterizedTest
    @CsvSource({"linux/amd64, true", "plan9/mips, false"})
    void jarContainsAllClassesOfLz4(String platform, boolean isNative) throws Exception {
        Path jar = temp.resolve("lz4.jar");
        try (InputStream in = CodecJar.of(CodecLibrary.LZ4, platform).url().openStream()) {
            Files.copy(in, jar);
        }
        assertTrue(Files.size(jar) < 150_000, Files.size(jar) + " bytes");
        String classPath = Stream.of(jar, location(CodecLibrary.class), location(Lz4Only.class))
                .map(Path::toString)
                .collect(Collectors.joining(File.pathSeparator));
        assertEquals(List.of("null", String.valueOf(isNative)), Jvm.run(List.of(), classPath, Lz4Only.class));
    }

    private static Path location(Class<?> type) throws Exception {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    /** Runs in the separate JVM. */
    static final class Lz4Only {
        private Lz4Only() {}

        public static void main(String[] args) throws Exception {
            System.out.println(CodecLibrary.LZ4.problem());
            byte[] raw = FileTrees.noise(300_000);
            System.arraycopy(raw, 0, raw, 100_000, 60_000); // a match
            byte[] frame = Frame.block(Codec.LZ4, 0, raw);
            FrameHeader header = Codec.LZ4.envelope().read(frame);
            FrameCodec.decode(header, Codec.LZ4.newDecoder(), frame, new byte[raw.length]);
            System.out.println(Native.isLoaded());
        }
    }
}
