package io.jenkins.plugins.compressionaware.provisioning;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.agent.LoadCodecsCallable;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import java.io.IOException;
import java.net.URL;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * The codec libraries for one platform in one small jar: the classes that are used and this platform's native code, 0.6 MB instead of 8 MB.
 * They find their native code in it as in their own jars.
 *
 * @param url     names no file, see {@link InMemoryJar}
 * @param digests SHA-256 of each native library in it, by its name there
 */
record CodecJar(URL url, HashMap<String, byte[]> digests) {
    /** Names of classes, one per line: those that {@code CodecJarTest} sees on an agent. */
    private static final String CLASSES = "codec-libraries.txt";

    /** An agent's platform is not trusted, and becomes part of a name. */
    private static final Pattern PLATFORM = Pattern.compile("[a-z0-9_]{1,30}/[a-z0-9_]{1,30}");

    /** Jars by platform, where there is native code for it. */
    private static final Map<String, CodecJar> MADE = new ConcurrentHashMap<>();

    /**
     * The platform of a JVM, by its system properties.
     *
     * @param name {@code os.name}
     * @param arch {@code os.arch}
     */
    static String platform(String name, String arch) {
        String lower = name.toLowerCase(Locale.ROOT).replace(' ', '_');
        String system = lower.startsWith("win") ? "win" : lower.startsWith("mac") ? "darwin" : lower;
        return system + '/' + (system.equals("darwin") && arch.equals("amd64") ? "x86_64" : arch);
    }

    /** The native libraries for a platform; none where zstd-jni has none. */
    private static List<String> natives(String platform) {
        if (!PLATFORM.matcher(platform).matches()) {
            return List.of();
        }
        List<String> there = Arrays.stream(Codec.values())
                .filter(Codec::needsLibrary)
                .map(codec -> nativeCode(codec, platform))
                .filter(name -> CodecJar.class.getClassLoader().getResource(name) != null)
                .toList();
        return there.contains(nativeCode(Codec.ZSTD, platform)) ? there : List.of();
    }

    private static String nativeCode(Codec codec, String platform) {
        String end = platform.startsWith("win/") ? ".dll" : platform.startsWith("darwin/") ? ".dylib" : ".so";
        return codec.nativeCode()
                        .replace("{win}", platform)
                        .replace("{windows}", platform.replaceFirst("^win/", "windows/"))
                + end;
    }

    /** The jar for a {@link #platform}, made once per JVM; null where there is none. */
    @CheckForNull
    static synchronized CodecJar of(String platform) throws IOException {
        CodecJar made = MADE.get(platform);
        List<String> natives = made == null ? natives(platform) : List.of();
        if (!natives.isEmpty()) {
            made = make(platform, natives);
            MADE.put(platform, made);
        }
        return made;
    }

    private static CodecJar make(String platform, List<String> natives) throws IOException {
        List<String> all = new ArrayList<>(InMemoryJar.listed(CLASSES));
        all.addAll(natives);
        HashMap<String, byte[]> digests = new HashMap<>();
        for (String name : natives) {
            digests.put(name, LoadCodecsCallable.digest(name));
        }
        return new CodecJar(InMemoryJar.of("artifact-transfer-codecs-" + platform.replace('/', '-'), all), digests);
    }
}
