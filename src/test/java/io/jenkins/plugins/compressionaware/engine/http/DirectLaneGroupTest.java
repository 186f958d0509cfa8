package io.jenkins.plugins.compressionaware.engine.http;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFailsWith;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.directlane.EndpointServer;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.testing.FaultyHttpProxy;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.LaneHook;
import io.jenkins.plugins.compressionaware.testing.Loopback;
import io.jenkins.plugins.compressionaware.testing.Offers;
import io.jenkins.plugins.compressionaware.testing.RandomTree;
import io.jenkins.plugins.compressionaware.testing.Tls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests transfers over direct lanes, and their fallback to streams after failures. */
@Timeout(60)
class DirectLaneGroupTest {
    private static final SendOptions UNCOMPRESSED = new SendOptions(Codec.NONE, 0);
    private static final DirectLaneOffer.Limits SHORT_LIMITS = new DirectLaneOffer.Limits(200, 400);

    private static final int LARGE = 3 * Credit.WINDOW;

    @TempDir
    Path tmp;

    private Path workspace;
    private Path archive;

    @AutoClose
    private EndpointServer endpoint;

    @BeforeEach
    void prepare() throws Exception {
        workspace = RandomTree.create(tmp.resolve("workspace"), 3);
        archive = tmp.resolve("archive");
        Files.write(workspace.resolve("large"), FileTrees.noise(LARGE));
        endpoint = new EndpointServer();
    }

    private Loopback through(boolean required, String... urls) {
        return through(UNCOMPRESSED, 3, required, Offers.LONG_LIMITS, urls);
    }

    private Loopback through(
            SendOptions options, int lanes, boolean required, DirectLaneOffer.Limits limits, String... urls) {
        return Loopback.with(options)
                .direct(receiver -> Offers.of(endpoint.open(receiver), lanes, required, limits, urls));
    }

    private SendReport archive(Loopback loopback) throws Exception {
        SendReport sent =
                loopback.archive(workspace, FileTrees.names(workspace), archive).sent();
        assertEquals(FileTrees.describe(workspace), FileTrees.describe(archive));
        return sent;
    }

    /** Archives over a stream that waits for the end of the probe, and is slower than direct lanes. */
    private DirectLaneReport probed(Loopback loopback) throws Exception {
        return archive(loopback.through(LaneHook::afterProbe)).direct();
    }

    private String url() {
        return Offers.url(endpoint.port());
    }

    @ParameterizedTest
    @EnumSource(Codec.class)
    void requestsCarryBlocksAfterProbe(Codec codec) throws Exception {
        SendReport sent = archive(through(new SendOptions(codec, codec.minLevel()), 3, false, Offers.LONG_LIMITS, url())
                .through(LaneHook::afterProbe));
        DirectLaneReport direct = sent.direct();
        assertNull(direct.problem());
        assertFalse(direct.failed());
        assertEquals(3, direct.connections());
        // a stream may have repeated requests that have no receipt yet
        long unconfirmed = endpoint.bytes.get() - direct.wireBytes();
        assertTrue(unconfirmed >= 0 && unconfirmed <= 3 * DirectLaneOffer.MAX_BODY, unconfirmed + " bytes");
        assertTrue(
                direct.wireBytes() > sent.figures().wireBytes() / 2,
                direct.wireBytes() + " of " + sent.figures().wireBytes());
        assertTrue(endpoint.most.get() <= 3, endpoint.most + " requests at a time");
        assertTrue(endpoint.longest.get() <= DirectLaneOffer.MAX_BODY, endpoint.longest + " bytes in one body");
        // the probe may use another connection
        assertTrue(endpoint.connections.size() <= 4, endpoint.connections.size() + " connections were not kept");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void probeResponseLimitsRequests(boolean required) throws Exception {
        endpoint.allow(1);
        DirectLaneReport direct = probed(through(required, url()));
        assertEquals(1, direct.connections());
        assertEquals(1, endpoint.most.get());
        assertTrue(direct.wireBytes() > 0);
        assertNull(direct.problem());
    }

    @Test
    void streamReplacesBusyConnectionsWithoutFailure() throws Exception {
        endpoint.allow(0);
        assertNull(probed(through(false, url())));
        assertEquals(0, endpoint.bytes.get());

        assertFailsWith("all connections for it are in use", () -> archive(through(true, url())));
    }

    @Test
    void requiredLaneCarriesAllBytes() throws Exception {
        SendReport sent = archive(through(true, url())
                .through(out -> new LaneHook(out, (write, length) -> {
                    throw new IOException("the stream must not be used");
                })));
        assertEquals(sent.figures().wireBytes(), sent.direct().wireBytes());
    }

    @Test
    void smallTransferSkipsProbe() throws Exception {
        Files.write(workspace.resolve("large"), new byte[100_000]);
        assertNull(archive(through(false, url())).direct());
        assertTrue(endpoint.connections.isEmpty());
    }

    @ParameterizedTest
    @EnumSource(value = FaultyHttpProxy.Fault.class, mode = EnumSource.Mode.EXCLUDE, names = "LATE")
    void streamResendsUnacknowledgedFrames(FaultyHttpProxy.Fault fault) throws Exception {
        try (FaultyHttpProxy server = new FaultyHttpProxy(endpoint.port(), fault)) {
            DirectLaneOffer.Limits limits = fault.reason().startsWith("no answer") ? SHORT_LIMITS : Offers.LONG_LIMITS;
            DirectLaneReport direct = probed(through(UNCOMPRESSED, 3, false, limits, Offers.url(server.port())));
            assertTrue(direct.failed(), direct.toString());
            assertTrue(direct.problem().contains(fault.reason()), direct.problem());
            assertTrue(direct.problem().startsWith(Offers.url(server.port())), direct.problem());
            assertEquals(0, direct.wireBytes());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"DIES_HALFWAY", "RECEIPT_LOST"})
    void connectionThatBreaksOnceIsReplaced(FaultyHttpProxy.Fault fault) throws Exception {
        endpoint.allow(1);
        try (FaultyHttpProxy server = new FaultyHttpProxy(endpoint.port(), body -> body == 1 ? fault : null)) {
            DirectLaneReport direct = probed(through(false, Offers.url(server.port())));
            assertNull(direct.problem());
            assertEquals(DirectLaneReport.Outcome.WORKED, direct.outcome());
            assertEquals(1, direct.connections());
            assertTrue(direct.wireBytes() > 0 && direct.wireBytes() <= endpoint.bytes.get(), direct.toString());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void reportHasDelayOfAllRequests(boolean probeToo) throws Exception {
        long delay = TimeUnit.MILLISECONDS.toNanos(300);
        FaultyHttpProxy.Script late = body -> body > 0 || probeToo ? FaultyHttpProxy.Fault.LATE : null;
        try (FaultyHttpProxy server = new FaultyHttpProxy(endpoint.port(), late)) {
            DirectLaneReport direct = probed(through(false, Offers.url(server.port())));
            assertTrue(direct.answerNanos() > 0);
            // on a busy machine, the probe alone may take long
            assertTrue(!probeToo || direct.answerNanos() >= delay, direct.toString());
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = FaultyHttpProxy.Fault.class,
            names = {"NOT_FOUND", "DIES_HALFWAY"})
    void failedRequiredLaneFailsTransfer(FaultyHttpProxy.Fault fault) throws Exception {
        try (FaultyHttpProxy server = new FaultyHttpProxy(endpoint.port(), fault)) {
            assertFailsWith(
                    "Direct HTTP transfer is required", () -> archive(through(true, Offers.url(server.port()))));
            assertFalse(Files.exists(archive));
        }
    }

    @Test
    void transferSurvivesLostReceiptsOfLargestBlocks() throws Exception {
        SendOptions large = new SendOptions(Codec.NONE, 0, 4 << 20, 2);
        try (FaultyHttpProxy server = new FaultyHttpProxy(endpoint.port(), FaultyHttpProxy.Fault.RECEIPT_LOST)) {
            endpoint.allow(5);
            DirectLaneReport direct = probed(through(large, 5, false, Offers.LONG_LIMITS, Offers.url(server.port())));
            assertTrue(direct.failed(), direct.toString());
        }
    }

    @Test
    void invalidAddressIsReported() throws Exception {
        String invalid = "http://build server.example/";
        assertFailsWith(invalid, () -> archive(through(true, invalid)));
        assertTrue(probed(through(false, invalid)).failed());
    }

    @Test
    void closedPortIsReportedAsUnreachable() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        DirectLaneReport direct = probed(through(false, Offers.url(port)));
        assertTrue(direct.failed());
        assertEquals(Set.of(LaneFailure.UNREACHABLE), direct.kinds());
    }

    @Test
    void secondAddressIsTriedAfterFirstFails() throws Exception {
        try (FaultyHttpProxy first = new FaultyHttpProxy(endpoint.port(), FaultyHttpProxy.Fault.NOT_FOUND)) {
            DirectLaneReport direct = probed(through(false, Offers.url(first.port()), url()));
            assertEquals(url(), direct.url());
            assertNull(direct.problem());
            assertFalse(direct.failed());
        }
    }

    @Test
    void rejectionByReceiverFailsTransfer() throws Exception {
        Map<String, String> names = FileTrees.names(workspace);
        assertFailsWith(
                "it was not requested",
                () -> through(true, url()).archive(workspace, names, archive, Set.of("another")));
        assertFalse(Files.exists(archive));
    }

    @Test
    void unreadableFileFailsTransferOverDirectLane() throws Exception {
        Map<String, String> names = new LinkedHashMap<>(FileTrees.names(workspace));
        names.put("gone", "gone");
        assertFailsWith("gone", () -> through(true, url()).archive(workspace, names, archive));
        assertFalse(Files.exists(archive));
    }

    /** The address is for HTTPS, at a server that this JVM may not trust. */
    private static Loopback secured(EndpointServer secure, boolean required) {
        String url = "https://localhost:" + secure.port() + "/";
        return Loopback.with(UNCOMPRESSED)
                .direct(receiver -> Offers.of(secure.open(receiver), 3, required, Offers.LONG_LIMITS, url));
    }

    /** A proxy that ends TLS could read open bodies, which the agent's own connection would not show it. */
    @Test
    void httpsReusesConnectionsAndSealsBodies() throws Exception {
        try (Tls tls = Tls.create(tmp);
                EndpointServer secure = new EndpointServer(tls.context())) {
            tls.trust();
            assertNull(archive(secured(secure, true)).direct().problem());
            assertTrue(secure.connections.size() <= 4, secure.connections.size() + " connections were not kept");
            assertTrue(secure.bytes.get() > 0);
        }
    }

    @Test
    void untrustedCertificateIsReported() throws Exception {
        try (Tls tls = Tls.create(tmp);
                EndpointServer secure = new EndpointServer(tls.context())) {
            DirectLaneReport direct = probed(secured(secure, false));
            assertTrue(direct.failed());
            assertEquals(Set.of(LaneFailure.UNTRUSTED_CERTIFICATE), direct.kinds());
        }
    }
}
