package io.jenkins.plugins.compressionaware.signatures;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AnnotationNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * The part of the real classes that the compiler needs to see: what is referred to, plus the types around it, plus the
 * methods that decide whether a subclass is complete and overrides rightly.
 */
final class Selection {
    private final References references;
    private final Hierarchy types;
    private final Predicate<String> elsewhere;
    private final Map<String, ClassNode> selected = new TreeMap<>();
    /** References found nowhere. */
    final Set<String> missing = new TreeSet<>();

    /**
     * @param real finds every class, those of the JDK included
     * @param elsewhere tells which classes need no signature, since the compiler finds them in the JDK or a library
     */
    Selection(References references, ClassPath real, Predicate<String> elsewhere) {
        this.references = references;
        this.types = new Hierarchy(references.own, real);
        this.elsewhere = elsewhere;
    }

    Collection<ClassNode> select() {
        references.types.forEach(this::addType);
        references.imports.forEach(this::addImport);
        references.members.forEach(this::addMember);
        references.own.values().forEach(type -> addOverridable(type.name, declared(type)));
        references.lambdaTypes.forEach(type -> addOverridable(type, Set.of()));
        selected.keySet().stream().toList().forEach(this::addConstants);
        return selected.values();
    }

    private boolean needsNoSignature(String name) {
        return types.isOwn(name) || elsewhere.test(name);
    }

    /** The selected part of a class, at first without members; null for one that needs no signature. */
    private ClassNode addType(String name) {
        if (selected.containsKey(name) || needsNoSignature(name)) {
            return selected.get(name);
        }
        Optional<ClassNode> found = types.find(name);
        if (found.isEmpty()) {
            missing.add(name);
            return null;
        }
        ClassNode type = found.get();
        ClassNode part = withoutMembers(type);
        selected.put(name, part);
        Stream.concat(Stream.ofNullable(type.superName), type.interfaces.stream())
                .forEach(this::addType);
        part.innerClasses.stream()
                .flatMap(self -> Stream.ofNullable(self.outerName))
                .forEach(this::addType);
        Stream.ofNullable(type.signature).map(TypeNames::ofDeclaration).forEach(this::addTypes);
        if ((type.access & Opcodes.ACC_ANNOTATION) != 0) {
            type.methods.forEach(method -> addMethod(type, method));
        }
        addAnnotations(type);
        type.fields.stream().filter(f -> (f.access & Opcodes.ACC_ENUM) != 0).forEach(f -> addField(type, f));
        return part;
    }

    private void addTypes(Set<String> names) {
        names.forEach(this::addType);
    }

    private static ClassNode withoutMembers(ClassNode type) {
        ClassNode part = new ClassNode();
        part.access = type.access;
        part.name = type.name;
        part.superName = type.superName;
        part.interfaces = type.interfaces;
        part.signature = type.signature;
        part.visibleAnnotations = type.visibleAnnotations;
        part.invisibleAnnotations = type.invisibleAnnotations;
        Optional.ofNullable(SignatureWriter.self(type)).ifPresent(part.innerClasses::add);
        return part;
    }

    private void addAnnotations(ClassNode type) {
        Stream.of(type.visibleAnnotations, type.invisibleAnnotations)
                .filter(annotations -> annotations != null)
                .flatMap(List::stream)
                .filter(annotation -> SignatureWriter.matters(type, annotation))
                .forEach(this::addAnnotationValue);
    }

    private void addAnnotationValue(Object value) {
        if (value instanceof Type type) {
            addTypes(TypeNames.ofType(type.getDescriptor()));
        } else if (value instanceof String[] constant) {
            addTypes(TypeNames.ofType(constant[0]));
        } else if (value instanceof List<?> list) {
            list.forEach(this::addAnnotationValue);
        } else if (value instanceof AnnotationNode annotation) {
            addTypes(TypeNames.ofType(annotation.desc));
            addAnnotationValue(annotation.values);
        }
    }

    /** The name may be that of a class, of a class in a class, or of a static member. */
    private void addImport(String dotted) {
        for (String name = dotted.replace('.', '/');
                name.contains("/");
                name = name.substring(0, name.lastIndexOf('/'))) {
            int last = name.lastIndexOf('/');
            String nested = name.substring(0, last) + "$" + name.substring(last + 1);
            for (String candidate : List.of(name, nested)) {
                if (types.find(candidate).isPresent()) {
                    addType(candidate);
                    return;
                }
            }
        }
    }

    private void addMember(References.Member member) {
        List<ClassNode> above = types.above(member.owner());
        if (above.stream().allMatch(type -> needsNoSignature(type.name))) {
            return;
        }
        for (ClassNode type : above) {
            Optional<FieldNode> field = type.fields.stream()
                    .filter(f -> member.field() && f.name.equals(member.name()) && f.desc.equals(member.desc()))
                    .findAny();
            Optional<MethodNode> method = type.methods.stream()
                    .filter(m -> !member.field() && m.name.equals(member.name()) && m.desc.equals(member.desc()))
                    .findAny();
            field.ifPresent(f -> addField(type, f));
            method.ifPresent(m -> addMethod(type, m));
            // A bridge is not what the source means: the true method is further up.
            boolean bridge = method.isPresent() && (method.get().access & Opcodes.ACC_BRIDGE) != 0;
            if (field.isPresent() || method.isPresent() && !bridge) {
                return;
            }
        }
        missing.add(member.owner() + "." + member.name() + member.desc());
    }

    private void addField(ClassNode owner, FieldNode field) {
        ClassNode type = addType(owner.name);
        if (type != null && !type.fields.contains(field)) {
            type.fields.add(field);
            addTypes(TypeNames.ofType(field.signature == null ? field.desc : field.signature));
        }
    }

    private void addMethod(ClassNode owner, MethodNode method) {
        ClassNode type = addType(owner.name);
        if (type != null && !type.methods.contains(method)) {
            type.methods.add(method);
            addTypes(TypeNames.ofDeclaration(method.desc));
            Stream.ofNullable(method.signature).map(TypeNames::ofDeclaration).forEach(this::addTypes);
            method.exceptions.forEach(this::addType);
            addAnnotationValue(method.annotationDefault);
        }
    }

    /**
     * Above a class that the compiler must check: the abstract methods, what implements them on the way down, and
     * whatever has the name of one of its own methods.
     */
    private void addOverridable(String name, Set<String> declared) {
        List<ClassNode> above = types.above(name);
        Set<String> wanted = new TreeSet<>(declared);
        above.stream()
                .flatMap(type -> type.methods.stream())
                .filter(method -> (method.access & Opcodes.ACC_ABSTRACT) != 0)
                .forEach(method -> wanted.add(method.name));
        for (ClassNode type : above) {
            type.methods.stream()
                    .filter(method -> wanted.contains(method.name) && !isPrivate(method.access))
                    .forEach(method -> addMethod(type, method));
        }
    }

    private static Set<String> declared(ClassNode type) {
        Set<String> names = new TreeSet<>();
        type.methods.stream()
                .filter(method -> !method.name.startsWith("<") && !isPrivate(method.access))
                .forEach(method -> names.add(method.name));
        return names;
    }

    private void addConstants(String name) {
        ClassNode type = types.find(name).orElseThrow();
        type.fields.stream()
                .filter(field -> field.value != null && !isPrivate(field.access))
                .filter(field -> references.words.contains(field.name))
                .forEach(field -> addField(type, field));
    }

    private static boolean isPrivate(int access) {
        return (access & Opcodes.ACC_PRIVATE) != 0;
    }
}
