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
     * @param kind    archive, stash, unstash or fetch
     * @param temp    for what comes to the agent
     * @param compare whether to compare what has arrived with its source
     */
    static Sample run(
            RealJenkins jenkins, AgentJvm agent, String kind, String way, DataSet set, Path temp, boolean compare)
            throws IOException {
        boolean brought = kind.equals("unstash") || kind.equals("fetch");
        Path folder = brought ? Files.createTempDirectory(temp, "brought-") : set.folder();
        Step step = jenkins.step(agent, kind, way, folder, set.folder());
        if (!kind.equals("stash")) {
            Path arrived = brought ? folder : step.archive();
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
                null,
                step.log().isBlank() ? null : step.log().strip());
    }
}
