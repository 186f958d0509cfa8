package io.jenkins.plugins.compressionaware.engine.store;

import java.io.IOException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The controller's end of one upload, as the sending end calls it over the channel. */
@Restricted(NoExternalUse.class)
@FunctionalInterface
public interface StoreUpload {
    /** Signs one request for each part, unless it refuses the parts. A repeated request is signed anew, because its signature may have expired. */
    SignedRequest[] sign(ObjectPart[] parts) throws IOException;

    /** Begins an object for one file, and returns its key. */
    default String begin(String name) throws IOException {
        throw new IOException(name + " has no object of its own");
    }

    /** Returns the last bytes of the object, which the controller makes from a description of all frames and entries. */
    default byte[] end(byte[] listing) throws IOException {
        throw new IOException("The object has no list of files");
    }
}
