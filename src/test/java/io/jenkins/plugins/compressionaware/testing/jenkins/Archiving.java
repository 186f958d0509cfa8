package io.jenkins.plugins.compressionaware.testing.jenkins;

import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.model.Label;
import hudson.model.Run;
import io.jenkins.plugins.compressionaware.CompressionAwareArtifactManagerFactory;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import jenkins.model.ArtifactManagerConfiguration;
import org.jvnet.hudson.test.JenkinsRule;

/** Configures the plugin and an agent {@code remote}, and reads archive calls from build logs. */
public final class Archiving {
    private static final Pattern SUMMARY =
            Pattern.compile("Artifacts: .* sent(?: \\([^)]*\\))?; (?<codec>[a-z0-9]+)(?: [0-9]+)?(?: \\((?<by>set by"
                    + " [^)]*)\\))?(?:[;:].*)?$");

    public final CompressionAwareArtifactManagerFactory factory = new CompressionAwareArtifactManagerFactory();

    public Archiving(JenkinsRule r) throws Exception {
        factory.setCodec("gzip");
        ArtifactManagerConfiguration.get().getArtifactManagerFactories().add(factory);
        r.jenkins.setNumExecutors(0);
        r.createOnlineSlave(Label.get("remote"));
    }

    /** Configures only the plugin, with its defaults, and returns the settings. */
    public static CompressionAwareArtifactManagerFactory configure() {
        CompressionAwareArtifactManagerFactory defaults = new CompressionAwareArtifactManagerFactory();
        ArtifactManagerConfiguration.get().getArtifactManagerFactories().add(defaults);
        return defaults;
    }

    /** Returns each archive call of a build, sorted: the codec, then a colon and the source of an override, if any. */
    public static List<String> of(Run<?, ?> build) throws Exception {
        return JenkinsRule.getLog(build)
                .lines()
                .filter(line -> line.contains("Artifacts: "))
                .map(Archiving::choice)
                .sorted()
                .toList();
    }

    private static String choice(String line) {
        Matcher summary = SUMMARY.matcher(line);
        assertTrue(summary.find(), line);
        return summary.group("codec") + (summary.group("by") == null ? "" : ": " + summary.group("by"));
    }
}
