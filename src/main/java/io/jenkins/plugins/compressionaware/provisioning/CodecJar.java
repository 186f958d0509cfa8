package io.jenkins.plugins.compressionaware.provisioning;

import com.github.luben.zstd.util.ZstdVersion;
import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.agent.LoadCodecsCallable;
import java.io.IOException;
import java.net.URL;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * A small jar of zstd-jni for one platform: only the classes in use and the platform's native code, 0.5 MB instead of 7 MB. zstd-jni finds its native code
 * in it as in its own jar.
 *
 * @param url URL of the jar in memory, see {@link InMemoryJar}
 * @param library resource name of the native library
 * @param digest SHA-256 of the native library
 */
record CodecJar(URL url, String library, byte[] digest) {
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

    /** Returns the resource name of the native library for a platform; null if zstd-jni does not support it. */
    @CheckForNull
    private static String library(String platform) {
        String end = platform.startsWith("win/") ? ".dll" : platform.startsWith("darwin/") ? ".dylib" : ".so";
        String name = platform + "/libzstd-jni-" + ZstdVersion.VERSION + end;
        return PLATFORM.matcher(platform).matches()
                        && CodecJar.class.getClassLoader().getResource(name) != null
                ? name
                : null;
    }

    /** Returns the jar for a {@link #platform}, which is made once per JVM; null if the platform is not supported. */
    @CheckForNull
    static synchronized CodecJar of(String platform) throws IOException {
        CodecJar made = CACHE.get(platform);
        String library = made == null ? library(platform) : null;
        if (library != null) {
            List<String> all = new ArrayList<>(InMemoryJar.listed(CLASS_LIST));
            all.add(library);
            URL url = InMemoryJar.of("artifact-transfer-codecs-" + platform.replace('/', '-'), all);
            made = new CodecJar(url, library, LoadCodecsCallable.digest(library));
            CACHE.put(platform, made);
        }
        return made;
    }
}
