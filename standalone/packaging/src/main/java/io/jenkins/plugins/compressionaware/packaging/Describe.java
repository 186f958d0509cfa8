package io.jenkins.plugins.compressionaware.packaging;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
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
        Path maven = Files.createDirectories(metaInf.resolve(Path.of("maven", pom.groupId(), pom.artifactId())));
        try (OutputStream out = Files.newOutputStream(metaInf.resolve("MANIFEST.MF"))) {
            manifest(pom, managed).write(out);
        }
        Files.copy(root, maven.resolve("pom.xml"), StandardCopyOption.REPLACE_EXISTING);
        Files.writeString(
                maven.resolve("pom.properties"),
                "artifactId=" + pom.artifactId() + "\ngroupId=" + pom.groupId() + "\nversion=" + pom.version() + "\n");
    }

    private static void checkSame(RootPom pom, String name, String version) {
        for (Dependency dependency : pom.dependencies()) {
            String rootVersion = pom.fill(dependency.getVersion());
            if (dependency.getManagementKey().startsWith(name + ":")
                    && rootVersion != null
                    && !rootVersion.equals(version)) {
                throw new IllegalStateException(name + " is " + rootVersion + " in the root POM, but " + version
                        + " in standalone/pom.xml; make them the same");
            }
        }
    }

    /**
     * What Jenkins reads to know a plugin; what only the update center reads is left out.
     *
     * @param managed the versions of those plugins for which the POM leaves them to the Jenkins BOM
     */
    private static Manifest manifest(RootPom pom, Map<String, String> managed) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("Manifest-Version", "1.0");
        facts.put("Build-Jdk-Spec", System.getProperty("java.specification.version"));
        facts.put("Specification-Title", "${project.name}");
        facts.put("Implementation-Title", "${project.name}");
        facts.put("Implementation-Version", pom.version());
        facts.put("Group-Id", pom.groupId());
        facts.put("Artifact-Id", pom.artifactId());
        facts.put("Short-Name", pom.artifactId());
        facts.put("Long-Name", "${project.name}");
        facts.put("Url", "${project.url}");
        facts.put("Plugin-Version", pom.version() + (pom.version().endsWith("-SNAPSHOT") ? " (standalone build)" : ""));
        facts.put("Hudson-Version", "${jenkins.version}");
        facts.put("Jenkins-Version", "${jenkins.version}");
        facts.put("Plugin-Dependencies", pom.pluginDependencies().stream()
                .map(dependency -> dependency.getArtifactId() + ":" + version(pom, dependency, managed)
                        + (dependency.isOptional() ? ";resolution:=optional" : ""))
                .collect(Collectors.joining(",")));
        Manifest manifest = new Manifest();
        facts.forEach((name, value) -> manifest.getMainAttributes().put(new Attributes.Name(name), pom.fill(value)));
        return manifest;
    }

    private static String version(RootPom pom, Dependency dependency, Map<String, String> managed) {
        String version = dependency.getVersion() == null
                ? managed.get(dependency.getArtifactId())
                : pom.fill(dependency.getVersion());
        if (version == null) {
            throw new IllegalStateException("standalone/plugin/pom.xml gives no version for the plugin "
                    + dependency.getArtifactId() + ", which the root POM leaves to the Jenkins BOM");
        }
        return version;
    }
}
