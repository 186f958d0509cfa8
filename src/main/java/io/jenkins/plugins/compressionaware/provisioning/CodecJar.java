package io.jenkins.plugins.compressionaware.provisioning;

import com.github.luben.zstd.util.ZstdVersion;
import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.agent.LoadCodecsCallable;
import io.jenkins.plugins.compressionaware.engine.codec.CodecLibrary;
import java.io.IOException;
import java.net.URL;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * A small jar of a codec library for one platform: only the classes in use, whose lists {@code CodecJarTest} verifies on an agent, and the platform's native
 * code. That is 0.5 MB instead of 7 for zstd-jni, and 0.1 MB instead of 0.8 for lz4-java. A library finds its native code in it as in its own jar.
 *
 * @param url URL of the jar in memory, see {@link InMemoryJar}
 * @param nativeCode resource name of the native code; null if lz4-java has none for the platform
 * @param checksum checksum of the native code; 0 if there is none
 */
record CodecJar(URL url, @CheckForNull String nativeCode, long checksum) {
    /** Valid platforms. The platform becomes part of a resource name, and an agent's value is not trusted. */
    private static final Pattern PLATFORM = Pattern.compile("[a-z0-9_]{1,30}/[a-z0-9_]{1,30}");

    /** Jars by library and native code. */
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

    /** Returns the resource name of a library's native code for a platform; null if it has none. */
    @CheckForNull
    private static String nativeCode(CodecLibrary library, String platform) {
        String end = platform.startsWith("win/") ? ".dll" : platform.startsWith("darwin/") ? ".dylib" : ".so";
        String name = library == CodecLibrary.ZSTD
                ? platform + "/libzstd-jni-" + ZstdVersion.VERSION + end
                : "net/jpountz/util/" + platform.replaceFirst("^win/", "windows/") + "/liblz4-java" + end;
        return PLATFORM.matcher(platform).matches()
                        && CodecJar.class.getClassLoader().getResource(name) != null
                ? name
                : null;
    }

    /** Returns the jar for a {@link #platform}, which is made once per JVM; null if zstd-jni does not support the platform. */
    @CheckForNull
    static synchronized CodecJar of(CodecLibrary library, String platform) throws IOException {
        String nativeCode = nativeCode(library, platform);
        if (nativeCode == null && library == CodecLibrary.ZSTD) {
            return null;
        }
        String key = library + " " + nativeCode;
        CodecJar made = CACHE.get(key);
        if (made == null) {
            String name = library.name().toLowerCase(Locale.ROOT);
            List<String> all = new ArrayList<>(InMemoryJar.listed(name + "-classes.txt"));
            if (nativeCode != null) {
                all.add(nativeCode);
            }
            String suffix = nativeCode == null ? "" : "-" + platform.replace('/', '-');
            made = new CodecJar(
                    InMemoryJar.of("artifact-transfer-" + name + suffix, all),
                    nativeCode,
                    nativeCode == null ? 0 : LoadCodecsCallable.checksum(nativeCode));
            CACHE.put(key, made);
        }
        return made;
    }
}
