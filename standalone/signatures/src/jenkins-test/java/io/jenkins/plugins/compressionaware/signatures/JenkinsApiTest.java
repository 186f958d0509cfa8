package io.jenkins.plugins.compressionaware.signatures;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Run by the standard build, where the real Jenkins is on the class path. */
class JenkinsApiTest {
    @Test
    void everyLineIsTrueOfTheRealJenkins() throws IOException {
        List<String> differences = SignatureCheck.differences(
                Path.of("standalone/signatures/jenkins-api.txt"), getClass().getClassLoader());
        assertEquals("", String.join("\n", differences), "to write the file anew: standalone/regenerate-signatures");
    }
}
