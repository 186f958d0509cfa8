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

/**
 * Writes the manifest and Maven's descriptor of the plugin next to the compiled classes. All values are read from the
 * root POM, so that no value is maintained twice.
 */
public final class Describe {
    private Describe() {}

    /**
     * @param args the root POM, the folder of the compiled classes, then versions: of a plugin ({@code plugin:version})
     *     whose version the root POM inherits, or of a library ({@code group:library:version}) that must equal the root
     *     POM's
     */
    public static void main(String[] args) throws IOException {
        Path root = Path.of(args[0]);
        RootPom pom = new RootPom(root);
        Map<String, String> managed = new HashMap<>();
        for (String argument : List.of(args).subList(2, args.length)) {
            int colon = argument.lastIndexOf(':');
            String name = argument.substring(0, colon);
            String version = argument.substring(colon + 1);
            if (name.contains(":")) {
                requireSameVersion(pom, name, version);
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

    private static void requireSameVersion(RootPom pom, String name, String version) {
        for (Dependency dependency : pom.dependencies()) {
            String rootVersion = pom.fill(dependency.getVersion());
            if (dependency.getManagementKey().startsWith(name + ":")
                    && rootVersion != null
                    && !rootVersion.equals(version)) {
                throw new IllegalStateException(name + " is " + rootVersion + " in the root POM, but " + version
                        + " in standalone/pom.xml. Use the same version in both");
            }
        }
    }

    /**
     * Returns the manifest with the attributes that Jenkins reads; attributes for the update center are omitted.
     *
     * @param managed versions of plugins for which the POM relies on the Jenkins BOM
     */
    private static Manifest manifest(RootPom pom, Map<String, String> managed) {
        Map<String, String> attributes = new LinkedHashMap<>();
        attributes.put("Manifest-Version", "1.0");
        attributes.put("Build-Jdk-Spec", System.getProperty("java.specification.version"));
        attributes.put("Specification-Title", "${project.name}");
        attributes.put("Implementation-Title", "${project.name}");
        attributes.put("Implementation-Version", pom.version());
        attributes.put("Group-Id", pom.groupId());
        attributes.put("Artifact-Id", pom.artifactId());
        attributes.put("Short-Name", pom.artifactId());
        attributes.put("Long-Name", "${project.name}");
        attributes.put("Url", "${project.url}");
        attributes.put("Plugin-Version", pom.version() + (pom.version().endsWith("-SNAPSHOT") ? " (standalone build)" : ""));
        attributes.put("Hudson-Version", "${jenkins.version}");
        attributes.put("Jenkins-Version", "${jenkins.version}");
        attributes.put("Plugin-Dependencies", pom.pluginDependencies().stream()
                .map(dependency -> dependency.getArtifactId() + ":" + version(pom, dependency, managed)
                        + (dependency.isOptional() ? ";resolution:=optional" : ""))
                .collect(Collectors.joining(",")));
        Manifest manifest = new Manifest();
        attributes.forEach((name, value) -> manifest.getMainAttributes().put(new Attributes.Name(name), pom.fill(value)));
        return manifest;
    }

    private static String version(RootPom pom, Dependency dependency, Map<String, String> managed) {
        String version = dependency.getVersion() == null
                ? managed.get(dependency.getArtifactId())
                : pom.fill(dependency.getVersion());
        if (version == null) {
            throw new IllegalStateException("standalone/plugin/pom.xml has no version of the plugin "
                    + dependency.getArtifactId() + ", which the root POM inherits from the Jenkins BOM");
        }
        return version;
    }
}
