package io.jenkins.plugins.compressionaware.pages;

import hudson.util.DescribableList;
import io.jenkins.plugins.compressionaware.CompressionAwareArtifactManagerFactory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import jenkins.model.ArtifactManagerConfiguration;
import jenkins.model.ArtifactManagerFactory;
import jenkins.model.ArtifactManagerFactoryDescriptor;

/** The configured artifact managers in their order: the first that accepts a build stores its artifacts. */
final class ManagerOrder {
    private ManagerOrder() {}

    static boolean hasOurs() {
        return configured().get(CompressionAwareArtifactManagerFactory.class) != null;
    }

    /** Adds ours after all others, so that it hides none. */
    static synchronized void addOurs() throws IOException {
        if (!hasOurs()) {
            configured().add(new CompressionAwareArtifactManagerFactory());
        }
    }

    /** Other managers, by display name. */
    static List<String> others() {
        return configured().stream()
                .filter(factory -> !isOurs(factory))
                .map(factory -> factory.getDescriptor().getDisplayName())
                .toList();
    }

    /** Other managers that never get a build because ours stands before them and steps aside for none, by display name. */
    static List<String> hidden() {
        return configured().stream()
                .dropWhile(factory -> !acceptsAll(factory))
                .filter(factory -> !isOurs(factory))
                .map(factory -> factory.getDescriptor().getDisplayName())
                .toList();
    }

    static synchronized void moveOursToTheEnd() throws IOException {
        List<ArtifactManagerFactory> order = new ArrayList<>(configured());
        order.sort(Comparator.comparing(ManagerOrder::isOurs)); // stable, false before true
        configured().replaceBy(order);
    }

    private static boolean isOurs(ArtifactManagerFactory factory) {
        return factory instanceof CompressionAwareArtifactManagerFactory;
    }

    private static boolean acceptsAll(ArtifactManagerFactory factory) {
        return factory instanceof CompressionAwareArtifactManagerFactory ours
                && ours.getExceptJobs() == null
                && ours.getExceptLabels() == null;
    }

    private static DescribableList<ArtifactManagerFactory, ArtifactManagerFactoryDescriptor> configured() {
        return ArtifactManagerConfiguration.get().getArtifactManagerFactories();
    }
}
