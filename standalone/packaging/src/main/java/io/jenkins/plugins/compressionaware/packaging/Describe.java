package io.jenkins.plugins.compressionaware.packaging;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.maven.model.Dependency;

/** Adds to the compiled classes what describes the plugin, taken from the root POM, so that no fact is written twice. */
public final class Describe {
    private Describe() {}

    /**
     * @param args the root POM, the directory of the compiled classes, then facts the root POM leaves to its parent
     *     ({@code plugin:version}) or that both builds state ({@code group:library:version}) and must state alike
     */
    public static void main(String[] args) throws IOException {
        Path root = Path.of(args[0]);
        RootPom pom = new RootPom(root);
        Map<String, String> managed = new HashMap<>();
        for (String fact : List.of(args).subList(2, args.length)) {
            int colon = fact.lastIndexOf(':');
            String name = fact.substring(0, colon);
            String version = fact.substring(colon + 1);
            if (name.contains(":")) {
                checkSame(pom, name, version);
            } else {
                managed.put(name, version);
            }
        }
        Path metaInf = Path.of(args[1], "META-INF");
        Files.createDirectories(metaInf);
        try (OutputStream out = Files.newOutputStream(metaInf.resolve("MANIFEST.MF"))) {
            new PluginManifest(pom, managed).make().write(out);
        }
        copyPom(pom, root, metaInf);
    }

    private static void checkSame(RootPom pom, String name, String version) {
        for (Dependency dependency : pom.model.getDependencies()) {
            String rootVersion = pom.fill(dependency.getVersion());
            if (dependency.getManagementKey().startsWith(name + ":")
                    && rootVersion != null
                    && !rootVersion.equals(version)) {
                throw new IllegalStateException(name + " is " + rootVersion + " in the root POM, but " + version
                        + " in standalone/pom.xml; make them the same");
            }
        }
    }

    private static void copyPom(RootPom pom, Path file, Path metaInf) throws IOException {
        Path directory = metaInf.resolve(Path.of("maven", pom.model.getGroupId(), pom.model.getArtifactId()));
        Files.createDirectories(directory);
        Files.copy(file, directory.resolve("pom.xml"), StandardCopyOption.REPLACE_EXISTING);
        Files.writeString(
                directory.resolve("pom.properties"),
                "artifactId=" + pom.model.getArtifactId() + "\ngroupId=" + pom.model.getGroupId() + "\nversion="
                        + pom.fill(pom.model.getVersion()) + "\n");
    }
}
