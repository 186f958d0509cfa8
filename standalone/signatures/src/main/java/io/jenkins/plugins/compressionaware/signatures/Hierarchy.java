package io.jenkins.plugins.compressionaware.signatures;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.objectweb.asm.tree.ClassNode;

/** The scanned classes and the real ones as one tree of types. */
final class Hierarchy {
    private final Map<String, ClassNode> own;
    private final ClassPath real;

    Hierarchy(Map<String, ClassNode> own, ClassPath real) {
        this.own = own;
        this.real = real;
    }

    boolean isOwn(String name) {
        return own.containsKey(name);
    }

    Optional<ClassNode> find(String name) {
        return Optional.ofNullable(own.get(name)).or(() -> real.find(name));
    }

    /** The class, its superclasses and all their interfaces, in the order in which members are looked up. */
    List<ClassNode> above(String name) {
        Set<String> order = new LinkedHashSet<>();
        for (String type = name;
                type != null;
                type = find(type).map(t -> t.superName).orElse(null)) {
            order.add(type);
        }
        List.copyOf(order).forEach(type -> addInterfaces(type, order));
        return order.stream().flatMap(type -> find(type).stream()).toList();
    }

    private void addInterfaces(String name, Set<String> order) {
        find(name)
                .ifPresent(type -> type.interfaces.forEach(above -> {
                    order.add(above);
                    addInterfaces(above, order);
                }));
    }
}
