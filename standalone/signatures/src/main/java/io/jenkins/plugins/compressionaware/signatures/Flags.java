package io.jenkins.plugins.compressionaware.signatures;

import java.util.LinkedHashMap;
import java.util.Map;
import org.objectweb.asm.Opcodes;

/** Access flags as words. One bit means different things on a class, a field and a method. */
enum Flags {
    CLASS("interface", Opcodes.ACC_INTERFACE, "annotation", Opcodes.ACC_ANNOTATION, "enum", Opcodes.ACC_ENUM),
    FIELD("enum", Opcodes.ACC_ENUM),
    METHOD("varargs", Opcodes.ACC_VARARGS, "bridge", Opcodes.ACC_BRIDGE);

    private final Map<String, Integer> words = new LinkedHashMap<>();

    Flags(Object... special) {
        words.put("public", Opcodes.ACC_PUBLIC);
        words.put("protected", Opcodes.ACC_PROTECTED);
        words.put("private", Opcodes.ACC_PRIVATE);
        words.put("static", Opcodes.ACC_STATIC);
        words.put("final", Opcodes.ACC_FINAL);
        words.put("abstract", Opcodes.ACC_ABSTRACT);
        words.put("synthetic", Opcodes.ACC_SYNTHETIC);
        words.put("deprecated", Opcodes.ACC_DEPRECATED);
        for (int i = 0; i < special.length; i += 2) {
            words.put((String) special[i], (Integer) special[i + 1]);
        }
    }

    /** The words for the flags that matter, each followed by a space. */
    String words(int access) {
        StringBuilder text = new StringBuilder();
        words.forEach((word, bit) -> {
            if ((access & bit) != 0) {
                text.append(word).append(' ');
            }
        });
        return text.toString();
    }

    /** The flag a word stands for, or 0 when it stands for none. */
    int flag(String word) {
        return words.getOrDefault(word, 0);
    }
}
