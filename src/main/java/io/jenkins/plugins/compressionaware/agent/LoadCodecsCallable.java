package io.jenkins.plugins.compressionaware.agent;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.codec.CodecLibrary;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import jenkins.agents.ControllerToAgentCallable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Loads a codec library on an agent after it was sent, if its native code arrived intact; damaged code could crash the JVM. Returns why the library does not
 * work, because stashes may need it; null if it works.
 */
@Restricted(NoExternalUse.class)
public final class LoadCodecsCallable implements ControllerToAgentCallable<String, IOException> {
    private static final long serialVersionUID = 1L;

    private final CodecLibrary library;

    @CheckForNull
    private final String nativeCode;

    private final byte[] digest;

    /**
     * @param nativeCode resource name of the native code; null if none was sent
     * @param digest     its SHA-256; empty if none was sent
     */
    public LoadCodecsCallable(CodecLibrary library, @CheckForNull String nativeCode, byte[] digest) {
        this.library = library;
        this.nativeCode = nativeCode;
        this.digest = digest;
    }

    @Override
    @CheckForNull
    public String call() throws IOException {
        if (nativeCode != null && !MessageDigest.isEqual(digest, digest(nativeCode))) {
            library.disable("damaged on its way: " + nativeCode);
        }
        return library.problem();
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
