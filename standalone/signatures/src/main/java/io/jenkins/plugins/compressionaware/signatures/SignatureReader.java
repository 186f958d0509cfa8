package io.jenkins.plugins.compressionaware.signatures;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.tree.AnnotationNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldNode;
import org.objectweb.asm.tree.MethodNode;

/** Text to classes: the reverse of {@link SignatureWriter}. */
final class SignatureReader {
    private final List<ClassNode> types = new ArrayList<>();
    private ClassNode type;
    private FieldNode field;
    private MethodNode method;

    private SignatureReader() {}

    static List<ClassNode> read(Path file) throws IOException {
        return read(Files.readAllLines(file));
    }

    static List<ClassNode> read(List<String> lines) {
        SignatureReader reader = new SignatureReader();
        for (int i = 0; i < lines.size(); i++) {
            try {
                reader.line(lines.get(i));
            } catch (RuntimeException e) {
                throw new IllegalArgumentException("line " + (i + 1) + ": " + lines.get(i), e);
            }
        }
        return reader.types;
    }

    private void line(String line) {
        if (line.isBlank() || line.startsWith("#")) {
            return;
        }
        boolean ofMember = line.startsWith("    ");
        String[] parts = line.strip().split(" ", 2);
        String rest = parts[1];
        switch (parts[0]) {
            case "class" -> startClass(rest);
            case "field" -> startField(rest);
            case "method" -> startMethod(rest);
            case "in" -> in(rest.split(" as "));
            case "extends" -> type.superName = rest;
            case "implements" -> type.interfaces.addAll(List.of(rest.split(" ")));
            case "throws" -> method.exceptions.addAll(List.of(rest.split(" ")));
            case "value" -> field.value = Values.read(rest);
            case "default" -> method.annotationDefault = Values.read(rest);
            case "signature" -> signature(ofMember, rest);
            case "annotation" -> annotate(ofMember, rest, true);
            case "invisible" -> annotate(ofMember, rest.substring("annotation ".length()), false);
            default -> throw new IllegalArgumentException("unknown word " + parts[0]);
        }
    }

    private void startClass(String rest) {
        type = new ClassNode();
        type.access = flags(Flags.CLASS, rest);
        type.name = last(rest);
        type.superName = "java/lang/Object";
        types.add(type);
    }

    private void startField(String rest) {
        String[] name = last(rest).split(":", 2);
        method = null;
        field = new FieldNode(flags(Flags.FIELD, rest), name[0], name[1], null, null);
        type.fields.add(field);
    }

    private void startMethod(String rest) {
        String member = last(rest);
        int paren = member.indexOf('(');
        field = null;
        method = new MethodNode(
                flags(Flags.METHOD, rest), member.substring(0, paren), member.substring(paren), null, null);
        type.methods.add(method);
    }

    private void in(String[] place) {
        type.visitInnerClass(type.name, place[0], place[1], type.access & ~Flags.CLASS.flag("deprecated"));
    }

    private void signature(boolean ofMember, String signature) {
        if (!ofMember) {
            type.signature = signature;
        } else if (field != null) {
            field.signature = signature;
        } else {
            method.signature = signature;
        }
    }

    private void annotate(boolean ofMember, String text, boolean visible) {
        AnnotationNode annotation = (AnnotationNode) Values.read(text);
        annotation.accept(
                !ofMember
                        ? type.visitAnnotation(annotation.desc, visible)
                        : field != null
                                ? field.visitAnnotation(annotation.desc, visible)
                                : method.visitAnnotation(annotation.desc, visible));
    }

    private static int flags(Flags kind, String rest) {
        int access = 0;
        for (String word :
                rest.substring(0, rest.length() - last(rest).length()).split(" ")) {
            access |= kind.flag(word);
        }
        return access;
    }

    private static String last(String line) {
        return line.substring(line.lastIndexOf(' ') + 1);
    }
}
