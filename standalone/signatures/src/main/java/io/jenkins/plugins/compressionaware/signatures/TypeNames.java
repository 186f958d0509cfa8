package io.jenkins.plugins.compressionaware.signatures;

import java.util.LinkedHashSet;
import java.util.Set;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.signature.SignatureReader;
import org.objectweb.asm.signature.SignatureVisitor;

/** Collects the classes that descriptors and generic signatures mention. */
final class TypeNames extends SignatureVisitor {
    private final Set<String> names = new LinkedHashSet<>();
    private String current;

    private TypeNames() {
        super(Opcodes.ASM9);
    }

    /** @param signature of a class or a method, or a method's descriptor */
    static Set<String> ofDeclaration(String signature) {
        TypeNames visitor = new TypeNames();
        new SignatureReader(signature).accept(visitor);
        return visitor.names;
    }

    /** @param signature of a field, or any type's descriptor */
    static Set<String> ofType(String signature) {
        TypeNames visitor = new TypeNames();
        new SignatureReader(signature).acceptType(visitor);
        return visitor.names;
    }

    @Override
    public void visitClassType(String name) {
        current = name;
        names.add(current);
    }

    @Override
    public void visitInnerClassType(String name) {
        current += "$" + name;
        names.add(current);
    }
}
