package io.jenkins.plugins.compressionaware.agent;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.CodecAvailability;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.Map;
import jenkins.agents.ControllerToAgentCallable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Runs on an agent that has been sent the codec libraries: loads them if the native libraries have arrived intact. A damaged one could end
 * the JVM. Returns why zstd does not work, since stored files may be packed with it; null if it works.
 */
@Restricted(NoExternalUse.class)
public final class LoadCodecsCallable implements ControllerToAgentCallable<String, IOException> {
    private static final long serialVersionUID = 1L;

    private final HashMap<String, byte[]> digests;

    /** @param digests SHA-256 of each native library that was sent, by its name */
    public LoadCodecsCallable(HashMap<String, byte[]> digests) {
        this.digests = digests;
    }

    @Override
    @CheckForNull
    public String call() throws IOException {
        for (Map.Entry<String, byte[]> library : digests.entrySet()) {
            if (!MessageDigest.isEqual(library.getValue(), digest(library.getKey()))) {
                CodecAvailability.disableLibraries("damaged on its way: " + library.getKey());
            }
        }
        for (Codec codec : Codec.values()) {
            if (codec.needsLibrary()) {
                CodecAvailability.unavailableReason(codec);
            }
        }
        return CodecAvailability.unavailableReason(Codec.ZSTD).orElse(null);
    }

    /** SHA-256 of a resource as this JVM sees it; of no bytes if there is none. */
    public static byte[] digest(String name) throws IOException {
        try (InputStream in = LoadCodecsCallable.class.getClassLoader().getResourceAsStream(name)) {
            return MessageDigest.getInstance("SHA-256").digest(in == null ? new byte[0] : in.readAllBytes());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every JVM has it
        }
    }
}
