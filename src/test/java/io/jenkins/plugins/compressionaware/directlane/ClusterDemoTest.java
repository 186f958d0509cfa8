package io.jenkins.plugins.compressionaware.directlane;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.not;
import static org.junit.jupiter.api.Assertions.assertEquals;

import hudson.model.FreeStyleProject;
import hudson.model.Slave;
import io.jenkins.plugins.casc.ConfigurationAsCode;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Tls;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import io.jenkins.plugins.compressionaware.testing.jenkins.Nginx;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.IntFunction;
import javax.net.ssl.HttpsURLConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.jvnet.hudson.test.JenkinsRule;

/** Runs the cluster of {@code demos/cluster} with addresses of this machine. */
class ClusterDemoTest extends JenkinsTestBase {
    private static final Path DEMO = Path.of("demos/cluster");

    @TempDir
    Path tmp;

    @Test
    void artifactsBypassWebSocketAndIngress() throws Exception {
        Slave agent = InboundTransport.WEBSOCKET.start(agents, r);
        ConfigurationAsCode.get().configure(DEMO.resolve("jenkins.yaml").toString());
        assertEquals("https://ci.example.com/", r.jenkins.getRootUrl());
        FreeStyleProject job = archiving(agent);
        byte[] noise = FileTrees.noise(60_000_000);
        Path workspace = workspaceOf(agent, job);
        Files.write(workspace.resolve("noise"), noise);

        try (Tls tls = Tls.create(tmp);
                Nginx nginx = new Nginx(tmp.resolve("nginx"), ingress(r, tls))) {
            tls.trust();
            URL outside = new URL("https://localhost:" + nginx.port() + r.contextPath + "/login");
            assertEquals(200, ((HttpsURLConnection) outside.openConnection()).getResponseCode());

            String log = JenkinsRule.getLog(r.buildAndAssertSuccess(job));
            assertThat(log, containsString("; direct HTTP "));
            assertThat(log, not(containsString("Direct HTTP transfer failed")));
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
