import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Writes each type of jenkins-api.txt to a separate source file for the compiler. */
class WriteSources {
    private static final Pattern PACKAGE = Pattern.compile("package ([\\w.]+);");
    private static final Pattern TYPE = Pattern.compile("(?:\\w+ )*(?:class|@?interface|enum) (\\w+).*");
    private static final String IMPORTS = " import java.io.*; import java.lang.annotation.*; import java.util.*;\n";

    /** @param args jenkins-api.txt, and the folder for the sources */
    public static void main(String[] args) throws IOException {
        String header = "";
        Path folder = null;
        Path file = null;
        StringBuilder type = new StringBuilder();
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            Matcher start = PACKAGE.matcher(line);
            if (start.matches()) {
                header = line + IMPORTS;
                folder = Files.createDirectories(Path.of(args[1], start.group(1).replace('.', '/')));
            } else if (line.isEmpty() || line.startsWith("//")) {
                if (!type.isEmpty()) {
                    Files.writeString(file, header + type);
                    type.setLength(0);
                }
            } else {
                start = TYPE.matcher(line);
                file = start.matches() ? folder.resolve(start.group(1) + ".java") : file;
                type.append(line).append('\n');
            }
        }
    }
}
