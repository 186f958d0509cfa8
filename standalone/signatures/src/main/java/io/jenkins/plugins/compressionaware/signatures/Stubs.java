package io.jenkins.plugins.compressionaware.signatures;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.InnerClassNode;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.MethodNode;

/** Turns signatures into class files to compile against. Every method body just throws. */
final class Stubs {
    private final Map<String, ClassNode> types = new LinkedHashMap<>();

    Stubs(List<ClassNode> types) {
        types.forEach(type -> this.types.put(type.name, type));
    }

    void write(Path directory) throws IOException {
        for (ClassNode type : types.values()) {
            Path file = directory.resolve(type.name + ".class");
            Files.createDirectories(file.getParent());
            Files.write(file, bytes(type));
        }
    }

    private byte[] bytes(ClassNode signature) {
        ClassNode stub = new ClassNode();
        signature.accept(stub);
        stub.version = Opcodes.V17;
        boolean isInterface = (stub.access & Opcodes.ACC_INTERFACE) != 0;
        stub.access = topLevel(stub.access) | (isInterface ? 0 : Opcodes.ACC_SUPER);
        stub.innerClasses = nesting(stub.name);
        stub.methods.forEach(Stubs::addBody);
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        stub.accept(writer);
        return writer.toByteArray();
    }

    /** A class file's own flags know neither protected nor private nor static; the inner class entry does. */
    private static int topLevel(int access) {
        int visible = (access & Opcodes.ACC_PROTECTED) != 0 ? Opcodes.ACC_PUBLIC : 0;
        return access & ~(Opcodes.ACC_PROTECTED | Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC) | visible;
    }

    /** The entries of the class itself, of those around it, and of those directly inside it. */
    private List<InnerClassNode> nesting(String name) {
        return types.values().stream()
                .map(SignatureWriter::self)
                .filter(self -> self != null)
                .filter(self ->
                        self.outerName.equals(name) || self.name.equals(name) || name.startsWith(self.name + "$"))
                .toList();
    }

    private static void addBody(MethodNode method) {
        if ((method.access & Opcodes.ACC_ABSTRACT) == 0) {
            method.instructions.add(new InsnNode(Opcodes.ACONST_NULL));
            method.instructions.add(new InsnNode(Opcodes.ATHROW));
        }
    }
}
