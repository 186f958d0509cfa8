package io.jenkins.plugins.compressionaware.signatures;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.tree.ClassNode;

/** Looks classes up by their internal name, without loading them. */
final class ClassPath {
    private final ClassLoader loader;
    private final Map<String, Optional<ClassNode>> seen = new HashMap<>();

    ClassPath(ClassLoader loader) {
        this.loader = loader;
    }

    Optional<ClassNode> find(String name) {
        return seen.computeIfAbsent(name, this::read);
    }

    private Optional<ClassNode> read(String name) {
        try (InputStream in = loader.getResourceAsStream(name + ".class")) {
            return in == null ? Optional.empty() : Optional.of(parse(in));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static ClassNode parse(InputStream in) throws IOException {
        ClassNode type = new ClassNode();
        new ClassReader(in).accept(type, ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        return type;
    }
}
