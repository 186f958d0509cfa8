package io.jenkins.plugins.compressionaware.tar;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;

/** A file to write. Used by one thread at a time. */
interface NewFile {
    /**
     * @param shared whether other threads write files at the same time
     * @throws FileAlreadyExistsException if something has its name
     */
    OutputStream create(boolean shared) throws IOException;

    /** Characters of its name, which it keeps in memory. */
    int nameLength();

    /** Where it is once it is created. */
    Path path();

    /** Makes room for it where something has its name. */
    void makeRoom() throws IOException;

    /** Removes it again, once it is closed. */
    void remove() throws IOException;

    /** Once it is written and closed. */
    void finish() throws IOException;

    /** For the message of a failure. */
    IOException explain(IOException failure);
}
