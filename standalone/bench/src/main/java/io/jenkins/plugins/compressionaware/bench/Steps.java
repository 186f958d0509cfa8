package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.bench.RealJenkins.Step;
import io.jenkins.plugins.compressionaware.demo.DataSet;
import io.jenkins.plugins.compressionaware.demo.TempFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Runs a step of a build, looks whether it did what it should, and tidies up. */
final class Steps {
    private Steps() {}

    /**
     * @param kind    archive, stash or unstash
     * @param temp    for what is unstashed
     * @param compare whether to compare what has arrived with its source
     */
    static Sample run(
            RealJenkins jenkins, AgentJvm agent, String kind, String way, DataSet set, Path temp, boolean compare)
            throws IOException {
        boolean unstash = kind.equals("unstash");
        Path folder = unstash ? Files.createTempDirectory(temp, "unstashed-") : set.folder();
        Step step = jenkins.step(agent, kind, way, folder);
        if (!kind.equals("stash")) {
            Path arrived = unstash ? folder : step.archive();
            if (compare) {
                set.check(way, arrived);
            }
            TempFolder.delete(arrived);
        }
        return new Sample(
                step.seconds(),
                step.wireBytes(),
                step.agentCpu(),
                step.controllerCpu(),
                step.controllerHeap(),
                step.loading(),
                step.log().isBlank() ? null : step.log().strip());
    }
}
