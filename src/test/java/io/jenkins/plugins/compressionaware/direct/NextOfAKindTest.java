package io.jenkins.plugins.compressionaware.direct;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.FilePath;
import hudson.model.Slave;
import io.jenkins.plugins.compressionaware.agent.AgentTransfer;
import io.jenkins.plugins.compressionaware.config.GlobalPolicy;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.Transfer;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.testkit.BadServer;
import io.jenkins.plugins.compressionaware.testkit.jenkins.Nginx;
import io.jenkins.plugins.compressionaware.testkit.jenkins.OnJenkins;
import io.jenkins.plugins.compressionaware.testkit.jenkins.Pods;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;
import jenkins.model.ArtifactManagerConfiguration;
import jenkins.model.JenkinsLocationConfiguration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The second agent of a cloud begins with what the first has shown. */
class NextOfAKindTest extends OnJenkins {
    private static final String TROUBLE = "The direct lane does not work, so the channel was used instead.";

    private final ByteArrayOutputStream log = new ByteArrayOutputStream();

    @TempDir
    Path temp;

    private TransferResult result;

    @BeforeEach
    void configure() {
        usePlugin();
    }

    /** So many bytes that they need the engine and the direct lane, in the agent's own workspace; the build log of that archive. */
    private String archive(Slave agent) throws Exception {
        Path workspace = Files.createDirectories(temp.resolve("workspace of " + agent.getNodeName()));
        Map<String, String> names = new HashMap<>();
        Random random = new Random(1);
        byte[] piece = new byte[1_000_000];
        for (int i = 0; i < 60; i++) {
            random.nextBytes(piece);
            Files.write(workspace.resolve("noise" + i), piece);
            names.put("noise" + i, "noise" + i);
        }
        log.reset();
        RunningTransfer running = RunningTransfer.unheard(
                new Transfer(Transfer.Kind.ARCHIVE, "job", 1, agent.getNodeName(), null, 2, null));
        result = new AgentTransfer(
                        new FilePath(agent.getChannel(), workspace.toString()),
                        new PrintStream(log, true, StandardCharsets.UTF_8),
                        running)
                .archive(
                        names,
                        temp.resolve("archive"),
                        GlobalPolicy.configured().settings());
        return log.toString(StandardCharsets.UTF_8);
    }

    private long direct() {
        return result.directBytes;
    }

    private String rootUrl(int port) {
        return "http://127.0.0.1:" + port + r.contextPath + "/";
    }

    @Test
    void sizeThatAProxyTakes() throws Exception {
        factory.setDirectLane("required");
        try (Nginx nginx = new Nginx(temp.resolve("nginx"), "", """
                    location %s/ {
                        proxy_pass http://127.0.0.1:%d%s/;
                        client_max_body_size 600k;
                    }
            """.formatted(
                        r.contextPath, r.getURL().getPort(), r.contextPath))) {
            JenkinsLocationConfiguration.get().setUrl(rootUrl(nginx.port()));
            archive(Pods.start(r, "maven"));
            assertTrue(direct() > 0);
            long refused = nginx.requests(413);
            assertTrue(refused > 0, "nginx has refused something");
            archive(Pods.start(r, "maven"));
            assertTrue(direct() > 0);
            assertEquals(refused, nginx.requests(413), "the size was not remembered");
        }
    }

    @Test
    void lostLaneIsTriedAgainWhenTheSettingsAreSaved() throws Exception {
        try (BadServer server = new BadServer(r.getURL().getPort(), BadServer.Fault.BAD_GATEWAY)) {
            JenkinsLocationConfiguration.get().setUrl(rootUrl(server.port()));
            Slave first = Pods.start(r, "maven");
            Slave second = Pods.start(r, "maven");
            archiveUntil(first, said -> said.contains(TROUBLE));
            assertFalse(archive(first).contains(TROUBLE), "its own connection rests");
            assertFalse(archive(second).contains(TROUBLE), "and so does the next of its kind");
            assertEquals(
                    LaneState.Kind.LOST,
                    LaneState.of(second.toComputer(), "automatic").kind());
            String said = archive(Pods.start(r, "gradle"));
            assertFalse(said.contains(TROUBLE), "of the same job: " + said);

            ArtifactManagerConfiguration.get().save();
            assertEquals(
                    LaneState.Kind.NOT_NEEDED,
                    LaneState.of(first.toComputer(), "automatic").kind());
            archiveUntil(first, tried -> tried.contains(TROUBLE));
            assertFalse(archive(second).contains(TROUBLE), "that counts for the kind anew");
            for (Slave agent : List.of(second, first)) {
                // more than once, since on a busy machine the controller itself may not answer in time
                String url = r.getURL().toString();
                JenkinsLocationConfiguration.get().setUrl(url);
                archiveUntil(agent, mended -> {
                    JenkinsLocationConfiguration.get().setUrl(url);
                    return direct() > 0;
                });
            }
        }
    }

    /** On a busy machine an archive may be over before its direct lane has been probed. */
    private void archiveUntil(Slave agent, Predicate<String> said) throws Exception {
        List<String> all = new ArrayList<>();
        do {
            all.add(archive(agent));
            assertTrue(all.size() < 10, () -> all.toString());
        } while (!said.test(all.get(all.size() - 1)));
    }
}
