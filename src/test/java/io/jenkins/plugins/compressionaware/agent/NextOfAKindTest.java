package io.jenkins.plugins.compressionaware.agent;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.FilePath;
import hudson.model.Slave;
import hudson.remoting.Channel;
import hudson.remoting.Command;
import io.jenkins.plugins.compressionaware.CompressionAwareArtifactManagerFactory;
import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.config.GlobalPolicy;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.Transfer;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.testkit.BadServer;
import io.jenkins.plugins.compressionaware.testkit.jenkins.Nginx;
import io.jenkins.plugins.compressionaware.testkit.jenkins.Pods;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import jenkins.model.ArtifactManagerConfiguration;
import jenkins.model.JenkinsLocationConfiguration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.jvnet.hudson.test.JenkinsRule;
import org.jvnet.hudson.test.junit.jupiter.WithJenkins;

/** The second agent of a cloud begins with what the first has shown. */
@WithJenkins
class NextOfAKindTest {
    private static final String TROUBLE = "The direct lane does not work, so the channel was used instead.";

    private final CompressionAwareArtifactManagerFactory factory = new CompressionAwareArtifactManagerFactory();
    private final ByteArrayOutputStream log = new ByteArrayOutputStream();

    @TempDir
    Path temp;

    private JenkinsRule r;
    private TransferResult result;

    @BeforeEach
    void configure(JenkinsRule rule) {
        r = rule;
        ArtifactManagerConfiguration.get().getArtifactManagerFactories().add(factory);
    }

    /** Such bytes as need the engine at once, in the agent's own workspace; the build log of that archive. */
    private String archive(Slave agent, int noise, int words) throws Exception {
        Path workspace = Files.createDirectories(temp.resolve("workspace of " + agent.getNodeName()));
        Map<String, String> names = new HashMap<>();
        Random random = new Random(1);
        byte[] piece = new byte[1_000_000];
        for (int i = 0; i < noise; i++) {
            random.nextBytes(piece);
            Files.write(workspace.resolve("noise" + i), piece);
            names.put("noise" + i, "noise" + i);
        }
        if (words > 0) {
            try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(workspace.resolve("words")))) {
                for (int i = 0; i < words; i++) {
                    out.write((Integer.toString(random.nextInt(40_000), 36) + ' ').getBytes(StandardCharsets.US_ASCII));
                }
            }
            names.put("words", "words");
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
        return result.sent().direct() == null ? 0 : result.sent().direct().wireBytes();
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
            archive(Pods.start(r, "maven"), 60, 0);
            assertTrue(direct() > 0);
            long refused = nginx.requests(413);
            assertTrue(refused > 0, "nginx has refused something");
            archive(Pods.start(r, "maven"), 60, 0);
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
            assertFalse(archive(first, 60, 0).contains(TROUBLE), "its own connection rests");
            assertFalse(archive(second, 60, 0).contains(TROUBLE), "and so does the next of its kind");
            assertEquals(
                    LaneState.Kind.LOST,
                    LaneState.of(second.toComputer(), "automatic").kind());
            String said = archive(Pods.start(r, "gradle"), 60, 0);
            assertFalse(said.contains(TROUBLE), "of the same job: " + said);

            ArtifactManagerConfiguration.get().save();
            assertEquals(
                    LaneState.Kind.NOT_NEEDED,
                    LaneState.of(first.toComputer(), "automatic").kind());
            archiveUntil(first, tried -> tried.contains(TROUBLE));
            assertFalse(archive(second, 60, 0).contains(TROUBLE), "that counts for the kind anew");
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
            all.add(archive(agent, 60, 0));
            assertTrue(all.size() < 10, () -> all.toString());
        } while (!said.test(all.get(all.size() - 1)));
    }

    @Test
    void transferBeginsWithoutAskingForTheRoundTrip() throws Exception {
        factory.setCodec("gzip"); // so that no head start calls the agent before
        Slave first = Pods.start(r, "maven");
        Slave second = Pods.start(r, "maven");
        Calls calls = new Calls(first);
        archive(first, 5, 0);
        assertTrue(calls.before >= 1 && calls.before <= 3, calls.before + " calls");
        AgentFacts known = AboutAgent.known((Channel) first.getChannel());
        assertFalse(known.ofKind());
        AgentFacts believed = AgentKind.of(second.toComputer(), "job").facts();
        assertEquals(known.ofKind(new RoundTrip(known.roundTrip().nanos(), false)), believed);

        calls = new Calls(second);
        archive(second, 5, 0);
        assertEquals(0, calls.before, "calls");
        Calls beside = calls;
        await().atMost(Duration.ofSeconds(30)).until(() -> beside.asked.get() > 0);

        archive(second, 5, 0);
        assertFalse(AboutAgent.known((Channel) second.getChannel()).ofKind(), "its own");
    }

    @Test
    void addressOfOneIsNotGivenToTheNext() throws Exception {
        factory.setCodec("gzip");
        Slave pod = Pods.start(r, "maven");
        AgentKind.of(pod.toComputer(), "job")
                .sawFacts(new AgentFacts(
                        new RoundTrip(1_000_000, true), 0, "linux/amd64", "http://elsewhere.example/", false));
        Calls calls = new Calls(pod);
        archive(pod, 5, 0);
        assertEquals(1, calls.before, "calls");
        assertNull(AboutAgent.known((Channel) pod.getChannel()).controllerUrl());
    }

    /** What the controller asks an agent about itself. */
    private static final class Calls extends Channel.Listener {
        final AtomicInteger asked = new AtomicInteger();

        /** Until something is to be done in its workspace. */
        volatile int before = -1;

        Calls(Slave agent) {
            ((Channel) agent.getChannel()).addListener(this);
        }

        @Override
        public void onWrite(Channel channel, Command command, long blockSize) {
            String call = command.toString();
            if (call.contains("AskAgent")) {
                asked.incrementAndGet();
            } else if (call.contains("SendFiles") && before < 0) {
                before = asked.get();
            }
        }
    }

    @Test
    void codecsAreNotBroughtAgainWhereTwoInARowCouldLoadNone() throws Exception {
        factory.setDirectLane("off"); // a busy machine has something to say about it
        for (int i = 0; i < 2; i++) {
            Slave pod = Pods.start(r, "maven");
            CodecJar jar = CodecJar.of(
                    AboutAgent.of(pod.getChannel(), AgentKind.NONE, "off").platform());
            HashMap<String, byte[]> damaged = new HashMap<>(jar.digests());
            damaged.replaceAll((name, digest) -> new byte[0]);
            assertFalse(pod.getChannel().call(new LoadCodecs(damaged)));
            assertFalse(AgentKind.of(pod.toComputer(), "job").lacksCodecs(), "one may be broken");
            factory.setCodec("zstd");
            assertTrue(archive(pod, 1, 0).contains("damaged on its way"), log.toString());
        }
        Slave next = Pods.start(r, "maven");
        assertTrue(AgentKind.of(next.toComputer(), "job").lacksCodecs());
        factory.setCodec("auto");
        assertEquals("", archive(next, 0, 12_000_000));
        assertEquals(Set.of(Codec.GZIP), codecs());

        factory.setCodec("zstd");
        assertEquals("", archive(next, 0, 1_000_000));
        assertEquals(Set.of(Codec.ZSTD), codecs(), "somebody has chosen it");
        assertFalse(AgentKind.of(next.toComputer(), "job").lacksCodecs(), "it works");
    }

    private Set<Codec> codecs() {
        return result.sent().usages().stream()
                .map(usage -> usage.choice().codec())
                .collect(Collectors.toSet());
    }
}
