package io.jenkins.plugins.compressionaware.packaging;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.maven.model.Dependency;
import org.apache.maven.model.Model;
import org.apache.maven.model.io.xpp3.MavenXpp3Reader;
import org.codehaus.plexus.interpolation.InterpolationException;
import org.codehaus.plexus.interpolation.PrefixedObjectValueSource;
import org.codehaus.plexus.interpolation.PropertiesBasedValueSource;
import org.codehaus.plexus.interpolation.StringSearchInterpolator;
import org.codehaus.plexus.util.xml.pull.XmlPullParserException;

/** The plugin's POM, read without its parent, which Maven Central does not have. */
final class RootPom {
    private static final List<String> PLUGIN_GROUPS = List.of("io.jenkins.plugins", "org.jenkins-ci.plugins");

    private final Model model;
    private final StringSearchInterpolator interpolator = new StringSearchInterpolator();

    RootPom(Path file) throws IOException {
        try (Reader in = Files.newBufferedReader(file)) {
            model = new MavenXpp3Reader().read(in);
        } catch (XmlPullParserException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
        interpolator.addValueSource(new PropertiesBasedValueSource(model.getProperties()));
        interpolator.addValueSource(new PrefixedObjectValueSource("project", model));
    }

    /** Replaces <code>${...}</code> in a text from the POM. Returns null for null. */
    String fill(String text) {
        try {
            return text == null ? null : interpolator.interpolate(text);
        } catch (InterpolationException e) {
            throw new IllegalStateException(text, e);
        }
    }

    String groupId() {
        return model.getGroupId();
    }

    String artifactId() {
        return model.getArtifactId();
    }

    String version() {
        return fill(model.getVersion());
    }

    List<Dependency> dependencies() {
        return model.getDependencies();
    }

    /** Returns the Jenkins plugins that this plugin requires at run time. */
    List<Dependency> pluginDependencies() {
        return model.getDependencies().stream()
                .filter(dependency -> PLUGIN_GROUPS.stream().anyMatch(dependency.getGroupId()::startsWith))
                .filter(dependency ->
                        dependency.getScope() == null || dependency.getScope().equals("compile"))
                .filter(dependency -> dependency.getClassifier() == null)
                .toList();
    }
}
