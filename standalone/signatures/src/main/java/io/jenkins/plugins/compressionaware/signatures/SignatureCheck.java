package io.jenkins.plugins.compressionaware.signatures;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.objectweb.asm.tree.ClassNode;

/** Compares each line of a signature file with the real classes. */
public final class SignatureCheck {
    private final List<String> differences = new ArrayList<>();

    private SignatureCheck() {}

    /** What the file says otherwise than the classes that {@code real} finds; nothing when they agree. */
    public static List<String> differences(Path file, ClassLoader real) throws IOException {
        SignatureCheck check = new SignatureCheck();
        ClassPath classPath = new ClassPath(real);
        for (ClassNode written : SignatureReader.read(file)) {
            Optional<ClassNode> found = classPath.find(written.name);
            if (found.isPresent()) {
                check.compare(written, found.get());
            } else {
                check.differences.add(written.name + ": no such class");
            }
        }
        return check.differences;
    }

    private void compare(ClassNode written, ClassNode real) {
        compare(written.name, SignatureWriter.header(written), SignatureWriter.header(real));
        Map<String, List<String>> members = new HashMap<>();
        real.fields.forEach(f -> members.put(f.name + ":" + f.desc, SignatureWriter.write(real, f)));
        real.methods.forEach(m -> members.put(m.name + m.desc, SignatureWriter.write(real, m)));
        written.fields.forEach(
                f -> compare(written.name, SignatureWriter.write(written, f), members.get(f.name + ":" + f.desc)));
        written.methods.forEach(
                m -> compare(written.name, SignatureWriter.write(written, m), members.get(m.name + m.desc)));
    }

    private void compare(String type, List<String> written, List<String> real) {
        if (real == null) {
            differences.add(type + ": no such member: " + written.get(0).strip());
        } else if (!written.equals(real)) {
            differences.add(type + ": the file says " + written + " but the class says " + real);
        }
    }
}
