package io.jenkins.plugins.compressionaware.tar;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;

/** A file to write in a folder that was made. Used by one thread at a time. */
class NewFile {
    private final OwnFolder folder;
    private final FileWriter writer;
    private final Path name;
    private final String sentAs;
    private final int mode;
    private final FileTime modified;

    /**
     * @param name   its path below {@code folder}
     * @param sentAs its name in the tar
     * @param mode   see {@link FileWriter#create}
     */
    NewFile(OwnFolder folder, FileWriter writer, Path name, String sentAs, int mode, FileTime modified) {
        this.folder = folder;
        this.writer = writer;
        this.name = name;
        this.sentAs = sentAs;
        this.mode = mode;
        this.modified = modified;
    }

    /**
     * @param shared whether other threads write files at the same time
     * @throws FileAlreadyExistsException if something has its name
     */
    OutputStream create(boolean shared) throws IOException {
        Path path = folder.place(name);
        return shared ? writer.createUninterrupted(path, mode) : writer.create(path, mode);
    }

    /** Length of its name in characters, for the heap that it takes. */
    int nameLength() {
        return sentAs.length();
    }

    /** The path where it is created. */
    Path path() {
        return folder.path(name);
    }

    /** Removes the file or link that has its name. */
    void makeRoom() throws IOException {
        folder.makeRoom(name);
    }

    /** Removes the file again, after it was closed. */
    void remove() throws IOException {
        folder.remove(name);
    }

    /** Completes the file after it was written and closed. */
    void finish() throws IOException {
        writer.setLastModified(path(), modified);
        if (File.separatorChar == '\\' && !path().toFile().isFile()) {
            // a device, such as nul, has accepted the content, and there is no file
            throw new RefusedException("Windows takes this name for that of a device");
        }
    }

    /** Adds the name to the message of a failure. */
    IOException explain(IOException failure) {
        return TarUnpacker.explain(sentAs, failure);
    }
}
