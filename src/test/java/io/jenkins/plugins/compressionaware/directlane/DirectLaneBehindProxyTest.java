package io.jenkins.plugins.compressionaware.directlane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.model.FreeStyleProject;
import hudson.model.Slave;
import hudson.slaves.DumbSlave;
import io.jenkins.plugins.casc.ConfigurationAsCode;
import io.jenkins.plugins.compressionaware.testing.Tls;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.Nginx;
import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.IntFunction;
import javax.net.ssl.HttpsURLConnection;
import jenkins.model.ArtifactManagerConfiguration;
import jenkins.model.JenkinsLocationConfiguration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.jvnet.hudson.test.JenkinsRule;
import org.jvnet.hudson.test.SimpleCommandLauncher;

/** Agents in separate processes whose requests reach the controller through nginx. */
class DirectLaneBehindProxyTest extends LaneTestBase {
    private static final Path DEMO = Path.of("demos/cluster");

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

    private String archive(Slave agent) throws Exception {
        return archive(job(agent, SIZE));
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

    /** Runs the cluster of {@code demos/cluster} with addresses of this machine. */
    @Test
    void artifactsBypassWebSocketAndIngress() throws Exception {
        Slave agent = InboundTransport.WEBSOCKET.start(agents, r);
        ArtifactManagerConfiguration.get().getArtifactManagerFactories().clear();
        ConfigurationAsCode.get().configure(DEMO.resolve("jenkins.yaml").toString());
        assertEquals("https://ci.example.com/", r.jenkins.getRootUrl());
        FreeStyleProject job = job(agent, 60_000_000);

        try (Tls tls = Tls.create(tmp);
                Nginx nginx = new Nginx(tmp.resolve("nginx"), ingress(r, tls))) {
            tls.trust();
            URL outside = new URL("https://localhost:" + nginx.port() + r.contextPath + "/login");
            assertEquals(200, ((HttpsURLConnection) outside.openConnection()).getResponseCode());

            assertDirect(archive(job));
            assertEquals(0, nginx.requests(204), "sent to the ingress");
        }
    }

    private static IntFunction<String> ingress(JenkinsRule r, Tls tls) throws Exception {
        String file = Files.readString(DEMO.resolve("nginx.conf"))
                .replace("certificate.pem", tls.certificate().toString())
                .replace("key.pem", tls.key().toString())
                .replace("127.0.0.1:8080", "127.0.0.1:" + r.getURL().getPort());
        return port -> file.replace("listen 8443", "listen 127.0.0.1:" + port);
    }
}
