package io.jenkins.plugins.compressionaware.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.jenkins.plugins.compressionaware.demo.DataSet;
import io.jenkins.plugins.compressionaware.demo.Listing;
import io.jenkins.plugins.compressionaware.demo.Sample;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PeersTest {
    @TempDir
    Path temp;

    @ParameterizedTest
    @ValueSource(strings = {"scp", "rsync", "tar"})
    void copyIsVerifiedAndDeleted(String way) throws Exception {
        assumeTrue(Peers.isInstalled(way), way + " is not installed");
        Path folder = Files.createDirectories(temp.resolve("source"));
        Files.write(folder.resolve("large"), new byte[Integer.getInteger("bench.peers.bytes", 300_000)]);
        Files.writeString(Files.createDirectory(folder.resolve("more")).resolve("a file.txt"), "content");
        DataSet set = new DataSet("set", folder, Listing.of(folder), "");
        try (Peers peers = new Peers(temp.resolve("peers"), List.of(way), Condition.LOOPBACK)) {
            List<Sample> samples = peers.run(way, set, true);
            assertEquals(way.equals("rsync") ? 2 : 1, samples.size());
            for (Sample sample : samples) {
                assertTrue(sample.wallSeconds > 0 && sample.agentCpu > 0 && sample.controllerCpu > 0);
                System.out.printf("%s %.3f s, CPU %.3f + %.3f%n", way, sample.wallSeconds, sample.agentCpu, sample.controllerCpu);
            }
            assertFalse(Files.exists(temp.resolve("peers/copy")));
        }
    }
}
