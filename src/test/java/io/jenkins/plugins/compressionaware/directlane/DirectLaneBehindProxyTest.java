package io.jenkins.plugins.compressionaware.directlane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.model.FreeStyleBuild;
import hudson.model.FreeStyleProject;
import hudson.model.Slave;
import hudson.slaves.DumbSlave;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Tls;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import io.jenkins.plugins.compressionaware.testing.jenkins.Nginx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import jenkins.model.JenkinsLocationConfiguration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.jvnet.hudson.test.JenkinsRule;
import org.jvnet.hudson.test.SimpleCommandLauncher;

/** Agents in separate processes whose requests reach the controller through nginx. */
class DirectLaneBehindProxyTest extends JenkinsTestBase {
    /** Three connections, or as many as streams if a call takes long on a busy machine. */
    private static final Pattern OVER_REQUESTS = Pattern.compile("; direct HTTP \\d");

    /** Bytes to send: enough that the transfer still runs when the agent has started TLS. */
    private static final int SIZE = 200_000_000;

    @TempDir
    Path tmp;

    @BeforeEach
    void configure() {
        factory.setCodec("none");
        factory.setDirectLane("required");
        usePlugin();
    }

    private String proxyTo(String location, String more) throws IOException {
        return """
                        location %s/ {
                            proxy_pass http://127.0.0.1:%d%s/;
                            proxy_http_version 1.1;
                            proxy_set_header Host $http_host;
                            proxy_set_header Connection $connection_upgrade;
                            proxy_set_header Upgrade $http_upgrade;
                %s
                        }
                """.formatted(location, r.getURL().getPort(), r.contextPath, more);
    }

    private Slave agentBehind(String rootUrl) throws Exception {
        JenkinsLocationConfiguration.get().setUrl(rootUrl);
        return r.createOnlineSlave();
    }

    private String archive(Slave agent) throws Exception {
        FreeStyleProject job = archiving(agent);
        byte[] noise = FileTrees.noise(SIZE);
        Path workspace = workspaceOf(agent, job);
        Files.write(workspace.resolve("noise"), noise);
        FreeStyleBuild build = r.buildAndAssertSuccess(job);
        assertEquals(FileTrees.describe(workspace), FileTrees.describe(archiveOf(build)));
        return JenkinsRule.getLog(build);
    }

    private static void assertDirect(String log) {
        assertTrue(OVER_REQUESTS.matcher(log).find(), log);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "proxy_request_buffering off;", "proxy_buffering off;"})
    void bodiesFitDefaultLimitOfNginx(String buffering) throws Exception {
        try (Nginx nginx = new Nginx(tmp, "", proxyTo(r.contextPath, buffering))) {
            assertDirect(archive(agentBehind("http://127.0.0.1:" + nginx.port() + r.contextPath + "/")));
            assertTrue(nginx.requests(204) > SIZE >> 20, nginx.requests(204) + " requests");
            assertEquals(0, nginx.requests(413));
        }
    }

    @Test
    void pathPrefixIsUsed() throws Exception {
        try (Nginx nginx = new Nginx(tmp, "", proxyTo("/build/ci", ""))) {
            assertDirect(archive(agentBehind("http://127.0.0.1:" + nginx.port() + "/build/ci/")));
            assertTrue(nginx.requests(204) > SIZE >> 20, nginx.requests(204) + " requests");
        }
    }

    @Test
    void smallerBodyLimitIsRemembered() throws Exception {
        try (Nginx nginx = new Nginx(tmp, "", proxyTo(r.contextPath, "client_max_body_size 600k;"))) {
            Slave agent = agentBehind("http://127.0.0.1:" + nginx.port() + r.contextPath + "/");
            assertDirect(archive(agent));
            long rejected = nginx.requests(413);
            assertTrue(rejected > 0, "nginx rejected no body");
            assertDirect(archive(agent));
            assertEquals(rejected, nginx.requests(413), "the size was not remembered");
        }
    }

    @Test
    void trustedTlsCertificateIsAccepted() throws Exception {
        try (Tls tls = Tls.create(tmp);
                Nginx nginx = new Nginx(tmp.resolve("nginx"), "ssl", certificate(tls) + proxyTo(r.contextPath, ""))) {
            JenkinsLocationConfiguration.get().setUrl("https://localhost:" + nginx.port() + r.contextPath + "/");
            // an agent that the controller starts knows only the root URL
            Path jar = Path.of(r.jenkins.getJnlpJars("agent.jar").getURL().toURI());
            String command =
                    "\"%s/bin/java\" -Djavax.net.ssl.trustStore=%s -Djavax.net.ssl.trustStorePassword=%s -jar %s"
                            .formatted(System.getProperty("java.home"), tls.store(), Tls.PASSWORD, jar);
            Slave agent = new DumbSlave("tls", tmp.resolve("agent").toString(), new SimpleCommandLauncher(command));
            r.jenkins.addNode(agent);
            r.waitOnline(agent);
            assertDirect(archive(agent));
            assertTrue(nginx.requests(204) > SIZE >> 20, "not past the proxy, without TLS: " + nginx.requests(204));
        }
    }

    private static String certificate(Tls tls) throws Exception {
        return "        ssl_certificate %s;\n        ssl_certificate_key %s;\n".formatted(tls.certificate(), tls.key());
    }
}
