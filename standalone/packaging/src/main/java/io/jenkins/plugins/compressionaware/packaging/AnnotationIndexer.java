package io.jenkins.plugins.compressionaware.packaging;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.RoundEnvironment;
import javax.annotation.processing.SupportedAnnotationTypes;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.Element;
import javax.lang.model.element.TypeElement;
import javax.tools.StandardLocation;

/**
 * Writes the index of annotated classes that Jenkins reads from {@code META-INF/services/annotations/}, for annotations
 * marked {@code @Indexed}, such as {@code @Symbol}. The annotation-indexer in Maven Central is an old version, which
 * writes the index elsewhere.
 */
@SupportedAnnotationTypes("*")
public final class AnnotationIndexer extends AbstractProcessor {
    private static final String INDEXED = "org.jvnet.hudson.annotation_indexer.Indexed";

    private final Map<String, Set<String>> index = new TreeMap<>();

    @Override
    public SourceVersion getSupportedSourceVersion() {
        return SourceVersion.latest();
    }

    @Override
    public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
        annotations.stream().filter(this::isIndexed).forEach(annotation -> {
            Set<String> names = index.computeIfAbsent(binaryName(annotation), name -> new TreeSet<>());
            for (Element element : round.getElementsAnnotatedWith(annotation)) {
                switch (element.getKind()) {
                    case CLASS, INTERFACE, ANNOTATION_TYPE, ENUM -> names.add(binaryName(element));
                    case METHOD, FIELD, CONSTRUCTOR -> names.add(binaryName(element.getEnclosingElement()));
                    default -> {} // Jenkins' own indexer ignores records as well
                }
            }
        });
        if (round.processingOver() && !round.errorRaised()) {
            index.forEach(this::write);
        }
        return false;
    }

    private boolean isIndexed(TypeElement annotation) {
        return annotation.getAnnotationMirrors().stream()
                .anyMatch(mark -> mark.getAnnotationType().toString().equals(INDEXED));
    }

    private String binaryName(Element type) {
        return processingEnv.getElementUtils().getBinaryName((TypeElement) type).toString();
    }

    private void write(String annotation, Set<String> names) {
        String file = "META-INF/services/annotations/" + annotation;
        try (Writer out = processingEnv
                .getFiler()
                .createResource(StandardLocation.CLASS_OUTPUT, "", file)
                .openWriter()) {
            out.write(String.join("\n", names) + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
