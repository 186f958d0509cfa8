package io.jenkins.plugins.compressionaware.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AnnotationIndexerTest {
    @TempDir
    Path directory;

    @Test
    void listsClassesWithIndexedAnnotation() throws IOException {
        compile(
                source(
                        "org/jvnet/hudson/annotation_indexer/Indexed",
                        "package org.jvnet.hudson.annotation_indexer; public @interface Indexed {}"),
                source(
                        "a/Symbol",
                        "package a; @org.jvnet.hudson.annotation_indexer.Indexed public @interface Symbol {}"),
                source("a/Plain", "package a; public @interface Plain {}"),
                source("a/Zed", "package a; @Symbol class Zed { @Plain @Symbol static class Inner {} }"),
                source("a/Member", "package a; class Member { @Symbol void method() {} @Symbol int field; }"));

        assertEquals(
                List.of("a.Member", "a.Zed", "a.Zed$Inner"),
                Files.readAllLines(directory.resolve("META-INF/services/annotations/a.Symbol")));
    }

    private Path source(String name, String text) throws IOException {
        Path file = directory.resolve(name + ".java");
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    private void compile(Path... sources) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        try (var manager = compiler.getStandardFileManager(null, null, null)) {
            JavaCompiler.CompilationTask task = compiler.getTask(
                    messages,
                    manager,
                    null,
                    List.of("-d", directory.toString()),
                    null,
                    manager.getJavaFileObjects(sources));
            task.setProcessors(List.of(new AnnotationIndexer()));
            assertTrue(task.call(), messages::toString);
        }
    }
}
