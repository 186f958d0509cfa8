package io.jenkins.plugins.compressionaware.ui;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.model.Computer;
import hudson.model.Slave;
import hudson.util.RemotingDiagnostics;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import jenkins.model.Jenkins;
import org.htmlunit.html.DomElement;
import org.htmlunit.html.HtmlPage;
import org.htmlunit.html.HtmlTable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.jvnet.hudson.test.JenkinsRule;

class TransferMeasurementTest extends JenkinsTestBase {
    @BeforeEach
    void secure() {
        permit(Map.of(
                "owner", List.of(Jenkins.READ, Computer.CONFIGURE),
                "visitor", List.of(Jenkins.READ)));
    }

    @ParameterizedTest
    @EnumSource(InboundTransport.class)
    void testMeasuresJenkinsAndEveryCodec(InboundTransport kind) throws Exception {
        Slave agent = kind.start(agents, r);
        try (JenkinsRule.WebClient client = login("owner")) {
            start(client, agent);
            TransferMeasurement test = action(agent.toComputer()).getTest();
            await().atMost(Duration.ofSeconds(90)).until(() -> !test.isRunning());

            assertNull(test.getProblem());
            HtmlPage page = client.goTo(url(agent));
            HtmlTable table = page.querySelector("#artifact-transfer-result table");
            assertEquals(
                    List.of(
                            "Jenkins itself",
                            "none",
                            "gzip 6",
                            "lz4",
                            "zstd 1",
                            "zstd 3",
                            "zstd 9",
                            "auto (this plugin\u2019s default)"),
                    table.getBodies().get(0).getRows().stream()
                            .map(row -> row.getCell(0).asNormalizedText())
                            .toList());
            assertTrue(table.getCaptionText().matches(".*round trip [0-9]+\\.[0-9]+ ms"), table.getCaptionText());
            for (TransferMeasurement.Row row : test.getRows().subList(1, 8)) {
                assertEquals(test.getBytes(), row.result().rawBytes, row.toString());
            }
            assertEquals(1, ratio(test.getRows().get(1)), 0.01, "none");
            // half of the sample is incompressible
            assertEquals(0.6, ratio(test.getRows().get(4)), 0.1, "zstd 1");
            String result = page.querySelector("#artifact-transfer-result").getTextContent();
            assertTrue(
                    result.matches(
                            "(?s)\\s*From this agent, transfers of this sample would be [0-9]+\\.[0-9] times as fast"
                                    + " as .*auto: [0-9]+\\s?% [a-z0-9 ]+.*"),
                    result);
        }
        assertNothingIsLeft(agent);
    }

    private static double ratio(TransferMeasurement.Row row) {
        return (double) row.result().wireBytes / row.result().rawBytes;
    }

    @Test
    void secondStartKeepsRunningTest() throws Exception {
        Slave agent = InboundTransport.TCP.start(agents, r);
        try (JenkinsRule.WebClient client = login("owner")) {
            start(client, agent);
            TransferMeasurement first = action(agent.toComputer()).getTest();
            assertTrue(first.isRunning());
            start(client, agent);
            assertEquals(first, action(agent.toComputer()).getTest());
            await().atMost(Duration.ofSeconds(90)).until(() -> !first.isRunning());
        }
    }

    @Test
    void disconnectedAgentEndsTest() throws Exception {
        Slave agent = InboundTransport.TCP.start(agents, r);
        try (JenkinsRule.WebClient client = login("owner")) {
            start(client, agent);
            TransferMeasurement test = action(agent.toComputer()).getTest();
            await().atMost(Duration.ofSeconds(60)).until(() -> !test.getRows().isEmpty());
            agents.stop(agent.getNodeName());
            await().atMost(Duration.ofSeconds(60)).until(() -> !test.isRunning());

            HtmlPage page = client.goTo(url(agent));
            assertTrue(page.asNormalizedText().contains("went offline during the test"), page.asNormalizedText());
            assertTrue(page.asNormalizedText().contains("The agent is offline. Reconnect it"));
            assertNull(page.querySelector("form[name=start]"));
        }
        assertFalse(Files.exists(scratch()));
    }

    /** A hung agent cannot delete its sample. */
    @Test
    void hungAgentDoesNotBlockTestThread() throws Exception {
        Slave agent = InboundTransport.TCP.start(agents, r);
        String pid = RemotingDiagnostics.executeGroovy(
                "println java.lang.management.ManagementFactory.runtimeMXBean.name.split('@')[0]", agent.getChannel());
        TransferMeasurement test = new TransferMeasurement(10);
        Thread thread = new Thread(() -> test.run(agent.toComputer()), "speed test of a test");
        thread.start();
        await().until(() -> samples(agent).findAny().isPresent());
        signal("STOP", pid);
        try {
            thread.join(60_000);
            assertFalse(thread.isAlive());
            assertFalse(test.isRunning());
            assertTrue(test.getProblem().contains("10 seconds"), test.getProblem());
        } finally {
            signal("CONT", pid);
        }
    }

    private static void signal(String name, String pid) throws Exception {
        assertEquals(
                0, new ProcessBuilder("kill", "-" + name, pid.trim()).start().waitFor(), pid);
    }

    @Test
    void testWithoutThreadIsNotRecorded() {
        TransferMeasurementAction.Factory factory = new TransferMeasurementAction.Factory(task -> {
            throw new OutOfMemoryError("unable to create native thread");
        });
        assertThrows(OutOfMemoryError.class, () -> factory.start(r.jenkins.toComputer()));
        assertNull(factory.last(r.jenkins.toComputer()));
    }

    @Test
    void controllerCannotBeTested() throws Exception {
        try (JenkinsRule.WebClient client = login("owner")) {
            HtmlPage page = client.goTo("computer/(built-in)/artifact-transfer/");
            assertTrue(page.asNormalizedText().contains("This is the controller itself"));
            assertNull(page.querySelector("form[name=start]"));
            assertEquals(200, post(client, "computer/(built-in)/artifact-transfer/start"), "leads back to the page");
        }
        assertNull(action(r.jenkins.toComputer()).getTest());
    }

    @Test
    void testRequiresAgentConfigureAndPost() throws Exception {
        Slave agent = r.createOnlineSlave();
        String link = "a[href$='artifact-transfer']";
        try (JenkinsRule.WebClient client = login("visitor")) {
            assertNull(client.goTo(agent.toComputer().getUrl()).querySelector(link));
            assertEquals(403, get(client, url(agent)));
            assertEquals(403, get(client, url(agent) + "update"));
            assertEquals(403, post(client, url(agent) + "start"));
        }
        try (JenkinsRule.WebClient client = login("owner")) {
            assertNotNull(client.goTo(agent.toComputer().getUrl()).querySelector(link));
            assertEquals(404, get(client, url(agent) + "start"));
        }
        assertNull(action(agent.toComputer()).getTest());
    }

    private void start(JenkinsRule.WebClient client, Slave agent) throws Exception {
        DomElement button = client.goTo(url(agent)).querySelector("form[name=start] button");
        button.click();
    }

    private static String url(Slave agent) {
        return agent.toComputer().getUrl() + "artifact-transfer/";
    }

    private static TransferMeasurementAction action(Computer computer) {
        return computer.getAction(TransferMeasurementAction.class);
    }

    private Path scratch() {
        return r.jenkins.getRootDir().toPath().resolve("artifact-transfer-speed-test");
    }

    private void assertNothingIsLeft(Slave agent) throws Exception {
        assertFalse(Files.exists(scratch()));
        assertEquals(List.of(), samples(agent).toList());
    }

    private static Stream<Path> samples(Slave agent) throws IOException {
        try (Stream<Path> children = Files.list(Path.of(agent.getRemoteFS()))) {
            return children.filter(child -> child.toString().contains("speed-test")).toList().stream();
        }
    }
}
