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
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * A small jar of the codec libraries for one platform: only the classes in use and the platform's native code, 0.6 MB instead of 8 MB. The libraries find
 * their native code in it as in their own jars.
 *
 * @param url URL of the jar in memory, see {@link InMemoryJar}
 * @param digests SHA-256 of each native library, by its resource name
 */
record CodecJar(URL url, HashMap<String, byte[]> digests) {
    /** List of class names, one per line; {@code CodecJarTest} verifies it on an agent. */
    private static final String CLASS_LIST = "codec-libraries.txt";

    /** Valid platforms. The platform becomes part of a resource name, and an agent's value is not trusted. */
    private static final Pattern PLATFORM = Pattern.compile("[a-z0-9_]{1,30}/[a-z0-9_]{1,30}");

    /** Jars by platform, for platforms with native code. */
    private static final Map<String, CodecJar> CACHE = new ConcurrentHashMap<>();

    /**
     * Returns the platform of a JVM, by its system properties.
     *
     * @param name value of {@code os.name}
     * @param arch value of {@code os.arch}
     */
    static String platform(String name, String arch) {
        String lower = name.toLowerCase(Locale.ROOT).replace(' ', '_');
        String system = lower.startsWith("win") ? "win" : lower.startsWith("mac") ? "darwin" : lower;
        return system + '/' + (system.equals("darwin") && arch.equals("amd64") ? "x86_64" : arch);
    }

    /** Returns the native libraries for a platform; none if zstd-jni does not support it. */
    private static List<String> natives(String platform) {
        if (!PLATFORM.matcher(platform).matches()) {
            return List.of();
        }
        List<String> available = Arrays.stream(Codec.values())
                .filter(Codec::needsLibrary)
                .map(codec -> nativeCode(codec, platform))
                .filter(name -> CodecJar.class.getClassLoader().getResource(name) != null)
                .toList();
        return available.contains(nativeCode(Codec.ZSTD, platform)) ? available : List.of();
    }

    private static String nativeCode(Codec codec, String platform) {
        String end = platform.startsWith("win/") ? ".dll" : platform.startsWith("darwin/") ? ".dylib" : ".so";
        return Objects.requireNonNull(codec.nativeCode())
                        .replace("{win}", platform)
                        .replace("{windows}", platform.replaceFirst("^win/", "windows/"))
                + end;
    }

    /** Returns the jar for a {@link #platform}, which is made once per JVM; null if the platform is not supported. */
    @CheckForNull
    static synchronized CodecJar of(String platform) throws IOException {
        CodecJar made = CACHE.get(platform);
        List<String> natives = made == null ? natives(platform) : List.of();
        if (!natives.isEmpty()) {
            made = make(platform, natives);
            CACHE.put(platform, made);
        }
        return made;
    }

    private static CodecJar make(String platform, List<String> natives) throws IOException {
        List<String> all = new ArrayList<>(InMemoryJar.listed(CLASS_LIST));
        all.addAll(natives);
        HashMap<String, byte[]> digests = new HashMap<>();
        for (String name : natives) {
            digests.put(name, LoadCodecsCallable.digest(name));
        }
        return new CodecJar(InMemoryJar.of("artifact-transfer-codecs-" + platform.replace('/', '-'), all), digests);
    }
}
