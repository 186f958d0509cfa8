package io.jenkins.plugins.compressionaware.signatures;

import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AnnotationNode;

/**
 * Constants and annotation values as text.
 *
 * <pre>
 * true  I5  J5  S5  B5  C65  F1.0  D1.0  "text"      literals; the letter is the type's descriptor
 * class(Ljava/lang/Object;)                          a class literal
 * enum(Ljava/lang/annotation/ElementType; METHOD)    an enum constant
 * {I1, I2}                                           an array
 * &#64;Lfoo/Bar;(name=I1, other=I2)                      an annotation
 * </pre>
 */
final class Values {
    private final String text;
    private int at;

    private Values(String text) {
        this.text = text;
    }

    static String write(Object value) {
        if (value instanceof Boolean) {
            return value.toString();
        } else if (value instanceof Integer
                || value instanceof Long
                || value instanceof Float
                || value instanceof Double
                || value instanceof Short
                || value instanceof Byte) {
            return (value instanceof Long
                            ? "J"
                            : value.getClass().getSimpleName().substring(0, 1))
                    + value;
        } else if (value instanceof Character c) {
            return "C" + (int) c;
        } else if (value instanceof String s) {
            return quote(s);
        } else if (value instanceof Type type) {
            return "class(" + type.getDescriptor() + ")";
        } else if (value instanceof String[] constant) {
            return "enum(" + constant[0] + " " + constant[1] + ")";
        } else if (value instanceof List<?> list) {
            StringJoiner items = new StringJoiner(", ", "{", "}");
            list.forEach(item -> items.add(write(item)));
            return items.toString();
        } else if (value instanceof AnnotationNode annotation) {
            return write(annotation);
        }
        throw new IllegalArgumentException("no text for " + value.getClass());
    }

    private static String write(AnnotationNode annotation) {
        StringJoiner members = new StringJoiner(", ", "(", ")").setEmptyValue("");
        List<Object> values = annotation.values == null ? List.of() : annotation.values;
        for (int i = 0; i < values.size(); i += 2) {
            members.add(values.get(i) + "=" + write(values.get(i + 1)));
        }
        return "@" + annotation.desc + members;
    }

    private static String quote(String s) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char c : s.toCharArray()) {
            if (c < ' ' || c > '~' || c == '"' || c == '\\') {
                quoted.append(String.format("\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }

    static Object read(String text) {
        Values values = new Values(text);
        Object value = values.value();
        if (values.at != text.length()) {
            throw values.wrong("nothing more");
        }
        return value;
    }

    private Object value() {
        if (take("true")) {
            return true;
        } else if (take("false")) {
            return false;
        } else if (take("class(")) {
            return Type.getType(until(")"));
        } else if (take("enum(")) {
            return new String[] {until(" "), until(")")};
        } else if (take("\"")) {
            return unquote(until("\""));
        } else if (take("{")) {
            List<Object> items = new ArrayList<>();
            while (!take("}")) {
                items.add(value());
                take(", ");
            }
            return items;
        } else if (take("@")) {
            AnnotationNode annotation = new AnnotationNode(until(";") + ";");
            if (take("(")) {
                while (!take(")")) {
                    annotation.visit(until("="), value());
                    take(", ");
                }
            }
            return annotation;
        }
        return number();
    }

    private Object number() {
        int start = at + 1;
        int end = start;
        while (end < text.length() && ",})".indexOf(text.charAt(end)) < 0) {
            end++;
        }
        if (start > end) {
            throw wrong("a value");
        }
        String digits = text.substring(start, end);
        at = end;
        return switch (text.charAt(start - 1)) {
            case 'I' -> Integer.valueOf(digits);
            case 'J' -> Long.valueOf(digits);
            case 'S' -> Short.valueOf(digits);
            case 'B' -> Byte.valueOf(digits);
            case 'C' -> (char) Integer.parseInt(digits);
            case 'F' -> Float.valueOf(digits);
            case 'D' -> Double.valueOf(digits);
            default -> throw wrong("a value");
        };
    }

    private static String unquote(String s) {
        StringBuilder plain = new StringBuilder();
        for (int i = 0; i < s.length(); i++) {
            if (s.charAt(i) == '\\') {
                plain.append((char) Integer.parseInt(s.substring(i + 2, i + 6), 16));
                i += 5;
            } else {
                plain.append(s.charAt(i));
            }
        }
        return plain.toString();
    }

    private boolean take(String token) {
        boolean there = text.startsWith(token, at);
        at += there ? token.length() : 0;
        return there;
    }

    private String until(String token) {
        int end = text.indexOf(token, at);
        if (end < 0) {
            throw wrong(token);
        }
        String found = text.substring(at, end);
        at = end + token.length();
        return found;
    }

    private IllegalArgumentException wrong(String wanted) {
        return new IllegalArgumentException(wanted + " expected at character " + at + " of: " + text);
    }
}
