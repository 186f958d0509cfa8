package io.jenkins.plugins.compressionaware.agent;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.CodecLibrary;
import java.io.IOException;
import java.io.InputStream;
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

    private final long checksum;

    /**
     * @param nativeCode resource name of the native code; null if none was sent
     * @param checksum   checksum of the native code; any number if none was sent
     */
    public LoadCodecsCallable(CodecLibrary library, @CheckForNull String nativeCode, long checksum) {
        this.library = library;
        this.nativeCode = nativeCode;
        this.checksum = checksum;
    }

    @Override
    @CheckForNull
    public String call() throws IOException {
        if (nativeCode != null && checksum != checksum(nativeCode)) {
            library.disable("damaged on its way: " + nativeCode);
        }
        return library.problem();
    }

    /** Returns the CRC-32C of a resource as this JVM sees it; 0 if the resource is missing. A SHA-256 would take a young JVM 40 ms. */
    public static long checksum(String name) throws IOException {
        try (InputStream in = LoadCodecsCallable.class.getClassLoader().getResourceAsStream(name)) {
            byte[] bytes = in == null ? new byte[0] : in.readAllBytes();
            return Checksum.CRC32C.of(bytes, 0, bytes.length);
        }
    }
}
