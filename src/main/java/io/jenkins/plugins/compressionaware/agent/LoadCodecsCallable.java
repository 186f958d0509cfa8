package io.jenkins.plugins.compressionaware.agent;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.codec.ZstdAvailability;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import jenkins.agents.ControllerToAgentCallable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Loads zstd on an agent after its library was sent, if the native code arrived intact; damaged code could crash the JVM. Returns why zstd does not work,
 * because stashes may be packed with it; null if it works.
 */
@Restricted(NoExternalUse.class)
public final class LoadCodecsCallable implements ControllerToAgentCallable<String, IOException> {
    private static final long serialVersionUID = 1L;

    @CheckForNull
    private final String library;

    private final byte[] digest;

    /**
     * @param library resource name of the native library; null if none was sent
     * @param digest  its SHA-256; empty if none was sent
     */
    public LoadCodecsCallable(@CheckForNull String library, byte[] digest) {
        this.library = library;
        this.digest = digest;
    }

    @Override
    @CheckForNull
    public String call() throws IOException {
        if (library != null && !MessageDigest.isEqual(digest, digest(library))) {
            ZstdAvailability.disable("damaged on its way: " + library);
        }
        return ZstdAvailability.problem();
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
