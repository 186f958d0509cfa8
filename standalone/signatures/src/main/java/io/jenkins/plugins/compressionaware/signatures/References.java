package io.jenkins.plugins.compressionaware.signatures;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.commons.ClassRemapper;
import org.objectweb.asm.commons.Remapper;
import org.objectweb.asm.tree.ClassNode;

/**
 * What a set of compiled classes and their sources refer to.
 *
 * <p>The sources are needed too: the compiler copies the values of constants into the class files and forgets where it
 * had them from, and an import that only Javadoc needs leaves no trace at all.
 */
final class References {
    /** A member as the using class names it; {@code owner} may inherit it. */
    record Member(String owner, String name, String desc, boolean field) {}

    private static final Pattern IMPORT =
            Pattern.compile("^import (?:static )?([\\w.]+)(?:\\.\\*)?;", Pattern.MULTILINE);
    private static final Pattern WORD = Pattern.compile("\\w+");

    /** The scanned classes themselves. */
    final Map<String, ClassNode> own = new TreeMap<>();

    final Set<String> types = new TreeSet<>();
    final Set<Member> members = new LinkedHashSet<>();
    /** The interfaces that lambdas and method references implement. */
    final Set<String> lambdaTypes = new TreeSet<>();
    /** Dotted names in import statements: of a class, a nested class or a static member. */
    final Set<String> imports = new TreeSet<>();
    /** All words in the sources, among them the names of the constants used. */
    final Set<String> words = new TreeSet<>();

    void scanClasses(Path directory) throws IOException {
        for (Path file : files(directory, ".class")) {
            scan(Files.readAllBytes(file));
        }
    }

    void scanSources(Path directory) throws IOException {
        for (Path file : files(directory, ".java")) {
            String source = Files.readString(file);
            IMPORT.matcher(source).results().map(m -> m.group(1)).forEach(imports::add);
            Matcher matcher = WORD.matcher(source);
            while (matcher.find()) {
                words.add(matcher.group());
            }
        }
    }

    private static List<Path> files(Path directory, String suffix) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.toString().endsWith(suffix))
                    .sorted()
                    .toList();
        }
    }

    void scan(byte[] bytes) {
        ClassNode type = new Members();
        new ClassReader(bytes).accept(new ClassRemapper(type, new Types()), ClassReader.SKIP_DEBUG);
        own.put(type.name, type);
    }

    /** A remapper is shown every type a class file mentions anywhere. */
    private final class Types extends Remapper {
        Types() {
            super(Opcodes.ASM9);
        }

        @Override
        public String map(String internalName) {
            types.add(internalName);
            return internalName;
        }
    }

    private final class Members extends ClassNode {
        Members() {
            super(Opcodes.ASM9);
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String desc, String signature, String[] exceptions) {
            MethodVisitor method = super.visitMethod(access, name, desc, signature, exceptions);
            return new MethodVisitor(Opcodes.ASM9, method) {
                @Override
                public void visitFieldInsn(int opcode, String owner, String name, String desc) {
                    members.add(new Member(owner, name, desc, true));
                }

                @Override
                public void visitMethodInsn(int opcode, String owner, String name, String desc, boolean isInterface) {
                    members.add(new Member(owner, name, desc, false));
                }

                @Override
                public void visitInvokeDynamicInsn(String name, String desc, Handle bootstrap, Object... arguments) {
                    if (bootstrap.getOwner().equals("java/lang/invoke/LambdaMetafactory")) {
                        lambdaTypes.add(Type.getReturnType(desc).getInternalName());
                    }
                    for (Object argument : arguments) {
                        if (argument instanceof Handle handle) {
                            members.add(new Member(
                                    handle.getOwner(), handle.getName(), handle.getDesc(), handle.getTag() <= 4));
                        }
                    }
                }
            };
        }
    }
}
