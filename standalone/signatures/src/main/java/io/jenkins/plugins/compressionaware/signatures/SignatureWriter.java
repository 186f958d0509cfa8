package io.jenkins.plugins.compressionaware.signatures;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.objectweb.asm.tree.AnnotationNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldNode;
import org.objectweb.asm.tree.InnerClassNode;
import org.objectweb.asm.tree.MethodNode;

/** Classes as text; the head of the signature file explains the format. */
final class SignatureWriter {
    /** Classes of the plugin inherit the second one, and the annotation indexer then lists them. */
    private static final Set<String> STEERING =
            Set.of("Ljava/lang/Deprecated;", "Lorg/kohsuke/stapler/export/ExportedBean;");

    private SignatureWriter() {}

    /** A whole class: its own lines, then its fields, then its methods, both sorted. */
    static List<String> write(ClassNode type) {
        List<String> lines = new ArrayList<>(header(type));
        type.fields.stream()
                .sorted(Comparator.comparing(f -> f.name))
                .forEach(field -> lines.addAll(write(type, field)));
        type.methods.stream()
                .sorted(Comparator.comparing(m -> m.name + m.desc))
                .forEach(method -> lines.addAll(write(type, method)));
        return lines;
    }

    /** What is said of the class itself. */
    static List<String> header(ClassNode type) {
        List<String> lines = new ArrayList<>();
        InnerClassNode self = self(type);
        lines.add(
                "class " + Flags.CLASS.words(self == null ? type.access : deprecation(type) | self.access) + type.name);
        if (self != null && self.outerName != null) {
            lines.add("  in " + self.outerName + " as " + self.innerName);
        }
        if (type.superName != null && !type.superName.equals("java/lang/Object")) {
            lines.add("  extends " + type.superName);
        }
        if (!type.interfaces.isEmpty()) {
            lines.add("  implements " + String.join(" ", type.interfaces));
        }
        add(lines, "  signature ", type.signature);
        annotations(lines, "  ", type, type.visibleAnnotations, type.invisibleAnnotations);
        return lines;
    }

    static List<String> write(ClassNode owner, FieldNode field) {
        List<String> lines = new ArrayList<>();
        lines.add("  field " + Flags.FIELD.words(field.access) + field.name + ":" + field.desc);
        add(lines, "    signature ", field.signature);
        add(lines, "    value ", field.value == null ? null : Values.write(field.value));
        annotations(lines, "    ", owner, field.visibleAnnotations, field.invisibleAnnotations);
        return lines;
    }

    static List<String> write(ClassNode owner, MethodNode method) {
        List<String> lines = new ArrayList<>();
        lines.add("  method " + Flags.METHOD.words(method.access) + method.name + method.desc);
        add(lines, "    signature ", method.signature);
        if (!method.exceptions.isEmpty()) {
            lines.add("    throws " + String.join(" ", method.exceptions));
        }
        add(lines, "    default ", method.annotationDefault == null ? null : Values.write(method.annotationDefault));
        annotations(lines, "    ", owner, method.visibleAnnotations, method.invisibleAnnotations);
        return lines;
    }

    /** The entry that says where a nested class belongs; its flags are the true ones, unlike those of the class. */
    static InnerClassNode self(ClassNode type) {
        return type.innerClasses.stream()
                .filter(inner -> inner.name.equals(type.name))
                .findAny()
                .orElse(null);
    }

    private static int deprecation(ClassNode type) {
        return type.access & Flags.CLASS.flag("deprecated");
    }

    private static void add(List<String> lines, String keyword, String value) {
        if (value != null) {
            lines.add(keyword + value);
        }
    }

    private static void annotations(
            List<String> lines,
            String indent,
            ClassNode on,
            List<AnnotationNode> visible,
            List<AnnotationNode> invisible) {
        Stream.concat(lines("annotation ", on, visible), lines("invisible annotation ", on, invisible))
                .sorted()
                .forEach(line -> lines.add(indent + line));
    }

    private static Stream<String> lines(String keyword, ClassNode on, List<AnnotationNode> annotations) {
        return annotations == null
                ? Stream.empty()
                : annotations.stream()
                        .filter(annotation -> matters(on, annotation))
                        .map(annotation -> keyword + Values.write(annotation));
    }

    /** Annotations of annotations steer compilers and annotation processors; of the others only two make a difference. */
    static boolean matters(ClassNode on, AnnotationNode annotation) {
        boolean onAnnotation = (on.access & Flags.CLASS.flag("annotation")) != 0;
        return onAnnotation || STEERING.contains(annotation.desc);
    }
}
