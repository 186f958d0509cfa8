package io.jenkins.plugins.compressionaware.signatures;

import java.io.IOException;
import java.nio.file.Path;

/** Signature file to class files. */
public final class WriteStubs {
    private WriteStubs() {}

    /** @param args the signature file, the directory for the classes */
    public static void main(String[] args) throws IOException {
        new Stubs(SignatureReader.read(Path.of(args[0]))).write(Path.of(args[1]));
    }
}
