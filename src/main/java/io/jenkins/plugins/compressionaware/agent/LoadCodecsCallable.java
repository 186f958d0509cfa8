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
 * Loads the codec libraries on an agent after they were sent, if their native libraries arrived intact; a damaged one could crash the JVM. Returns why zstd
 * does not work, because stashes may be packed with it; null if it works.
 */
@Restricted(NoExternalUse.class)
public final class LoadCodecsCallable implements ControllerToAgentCallable<String, IOException> {
    private static final long serialVersionUID = 1L;

    private final HashMap<String, byte[]> digests;

    /** @param digests SHA-256 of each native library, by its resource name */
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

    /** Returns the SHA-256 of a resource as this JVM sees it; the digest of no bytes if the resource is missing. */
    public static byte[] digest(String name) throws IOException {
        try (InputStream in = LoadCodecsCallable.class.getClassLoader().getResourceAsStream(name)) {
            return MessageDigest.getInstance("SHA-256").digest(in == null ? new byte[0] : in.readAllBytes());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every JVM supports SHA-256
        }
    }
}
