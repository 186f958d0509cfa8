package io.jenkins.plugins.compressionaware.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DescribeTest {
    private static final String POM = """
            <project>
              <parent><groupId>org.jenkins-ci.plugins</groupId><artifactId>plugin</artifactId><version>1</version></parent>
              <groupId>io.jenkins.plugins</groupId>
              <artifactId>sample</artifactId>
              <version>${revision}${changelist}</version>
              <name>Sample Plugin</name>
              <url>https://example.org/${project.artifactId}-plugin</url>
              <properties>
                <revision>1.2</revision><changelist>-SNAPSHOT</changelist>
                <jenkins.baseline>2.541</jenkins.baseline><jenkins.version>${jenkins.baseline}.3</jenkins.version>
              </properties>
              <dependencies>
                <dependency><groupId>com.example</groupId><artifactId>library</artifactId><version>1.0</version></dependency>
                <dependency><groupId>io.jenkins.plugins</groupId><artifactId>managed-api</artifactId></dependency>
                <dependency>
                  <groupId>org.jenkins-ci.plugins.workflow</groupId><artifactId>steps</artifactId><version>3</version>
                  <optional>true</optional>
                </dependency>
                <dependency>
                  <groupId>org.jenkins-ci.plugins</groupId><artifactId>only-tested</artifactId><version>4</version>
                  <scope>test</scope>
                </dependency>
              </dependencies>
            </project>
            """;

    @TempDir
    Path directory;

    @Test
    void manifestHasValuesOfPom() throws IOException {
        describe("managed-api:5.6-7", "com.example:library:1.0");

        Attributes attributes = manifest().getMainAttributes();
        assertEquals("sample", attributes.getValue("Short-Name"));
        assertEquals("Sample Plugin", attributes.getValue("Long-Name"));
        assertEquals("2.541.3", attributes.getValue("Jenkins-Version"));
        assertTrue(attributes.getValue("Plugin-Version").startsWith("1.2-SNAPSHOT "));
        assertEquals("https://example.org/sample-plugin", attributes.getValue("Url"));
        assertEquals("managed-api:5.6-7,steps:3;resolution:=optional", attributes.getValue("Plugin-Dependencies"));
    }

    @Test
    void refusesLibraryVersionOtherThanPoms() {
        Exception refusal =
                assertThrows(IllegalStateException.class, () -> describe("managed-api:5", "com.example:library:1.1"));
        assertTrue(refusal.getMessage().startsWith("com.example:library is 1.0 in the root POM, but 1.1"));
    }

    @Test
    void refusesPluginWithoutVersion() {
        Exception refusal = assertThrows(IllegalStateException.class, this::describe);
        assertTrue(refusal.getMessage().contains("managed-api"));
    }

    private void describe(String... versions) throws IOException {
        String[] args = new String[versions.length + 2];
        args[0] = Files.writeString(directory.resolve("pom.xml"), POM).toString();
        args[1] = directory.toString();
        System.arraycopy(versions, 0, args, 2, versions.length);
        Describe.main(args);
    }

    private Manifest manifest() throws IOException {
        try (InputStream in = Files.newInputStream(directory.resolve("META-INF/MANIFEST.MF"))) {
            return new Manifest(in);
        }
    }
}
