package io.jenkins.plugins.compressionaware.packaging;

import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import org.apache.maven.model.Dependency;
import org.apache.maven.model.Model;

/** The manifest that Jenkins reads to know a plugin; what only the update center reads is left out. */
final class PluginManifest {
    private final RootPom pom;
    private final Map<String, String> managed;
    private final Manifest manifest = new Manifest();

    /** @param managed the versions of those plugins for which the POM leaves them to the Jenkins BOM */
    PluginManifest(RootPom pom, Map<String, String> managed) {
        this.pom = pom;
        this.managed = managed;
    }

    Manifest make() {
        Model model = pom.model;
        String version = pom.fill(model.getVersion());
        put("Manifest-Version", "1.0");
        put("Build-Jdk-Spec", System.getProperty("java.specification.version"));
        put("Specification-Title", model.getName());
        put("Implementation-Title", model.getName());
        put("Implementation-Version", version);
        put("Group-Id", model.getGroupId());
        put("Artifact-Id", model.getArtifactId());
        put("Short-Name", model.getArtifactId());
        put("Long-Name", model.getName());
        put("Url", model.getUrl());
        put("Plugin-Version", version.endsWith("-SNAPSHOT") ? version + " (standalone build)" : version);
        put("Hudson-Version", pom.property("jenkins.version"));
        put("Jenkins-Version", pom.property("jenkins.version"));
        String dependencies = dependencies();
        put("Plugin-Dependencies", dependencies.isEmpty() ? null : dependencies);
        return manifest;
    }

    private void put(String name, String value) {
        if (value != null) {
            manifest.getMainAttributes().put(new Attributes.Name(name), pom.fill(value));
        }
    }

    private String dependencies() {
        return pom.pluginDependencies().stream()
                .map(dependency -> dependency.getArtifactId()
                        + ":"
                        + version(dependency)
                        + (dependency.isOptional() ? ";resolution:=optional" : ""))
                .collect(Collectors.joining(","));
    }

    private String version(Dependency dependency) {
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
