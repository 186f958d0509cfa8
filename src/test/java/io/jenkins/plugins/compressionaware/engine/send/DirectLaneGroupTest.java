package io.jenkins.plugins.compressionaware.engine.send;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFailsWith;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.lane.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.engine.lane.DirectLaneReport;
import io.jenkins.plugins.compressionaware.engine.lane.LaneFailure;
import io.jenkins.plugins.compressionaware.testing.FakeEndpoint;
import io.jenkins.plugins.compressionaware.testing.FaultyHttpProxy;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.LaneEnd;
import io.jenkins.plugins.compressionaware.testing.LaneHook;
import io.jenkins.plugins.compressionaware.testing.Loopback;
import io.jenkins.plugins.compressionaware.testing.RandomTree;
import io.jenkins.plugins.compressionaware.testing.Threads;
import io.jenkins.plugins.compressionaware.testing.Tls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests transfers over direct lanes, and their fallback to streams after failures. */
@Timeout(30)
class DirectLaneGroupTest {
    private static final SendOptions UNCOMPRESSED = new SendOptions(Codec.NONE, 0);
    private static final DirectLaneOffer.Limits SHORT_LIMITS = new DirectLaneOffer.Limits(200, 400);

    /** A busy machine may need more than the default limit to answer a probe. */
    private static final DirectLaneOffer.Limits LONG_LIMITS = new DirectLaneOffer.Limits(20_000, 20_000);

    private static final int LARGE = 3 * Credit.WINDOW;

    @TempDir
    Path tmp;

    private Path workspace;
    private Path archive;
    private FakeEndpoint endpoint;

    @BeforeEach
    void prepare() throws Exception {
        workspace = RandomTree.create(tmp.resolve("workspace"), 3);
        archive = tmp.resolve("archive");
        Files.write(workspace.resolve("large"), FileTrees.noise(LARGE));
        endpoint = new FakeEndpoint(null);
    }

    @AfterEach
    void stop() {
        endpoint.close();
    }

    private static String url(int port) {
        return "http://127.0.0.1:" + port + "/";
    }

    private static DirectLaneOffer offer(boolean required, String... urls) {
        return offer(LONG_LIMITS, required, urls);
    }

    private static DirectLaneOffer offer(DirectLaneOffer.Limits limits, boolean required, String... urls) {
        return new DirectLaneOffer(
                new ArrayList<>(List.of(urls)), LaneEnd.SECRET, false, 3, required, DirectLaneOffer.MAX_BODY, limits);
    }

    private Loopback through(DirectLaneOffer offer) {
        return Loopback.with(UNCOMPRESSED).direct(offer, endpoint::leadTo);
    }

    private SendReport archive(Loopback loopback) throws Exception {
        SendReport sent =
                loopback.archive(workspace, FileTrees.names(workspace), archive).sent();
        assertEquals(FileTrees.describe(workspace), FileTrees.describe(archive));
        return sent;
    }

    @ParameterizedTest
    @EnumSource(Codec.class)
    void requestsCarryBlocksAfterProbe(Codec codec) throws Exception {
        SendReport sent = archive(untilProbed(Loopback.with(new SendOptions(codec, codec.minLevel()))
                .direct(offer(false, url(endpoint.port())), endpoint::leadTo)));
        DirectLaneReport direct = sent.direct();
        assertNull(direct.problem());
        assertFalse(direct.failed());
        assertEquals(3, direct.connections());
        assertEquals(endpoint.bytes.get(), direct.wireBytes());
        assertTrue(direct.wireBytes() > sent.wireBytes() / 2, direct.wireBytes() + " of " + sent.wireBytes());
        assertTrue(endpoint.most.get() <= 3, endpoint.most + " requests at a time");
        assertTrue(endpoint.longest.get() <= DirectLaneOffer.MAX_BODY, endpoint.longest + " bytes in one body");
        // the probe may use another connection
        assertTrue(endpoint.connections.size() <= 4, endpoint.connections.size() + " connections were not kept");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void probeResponseLimitsRequests(boolean required) throws Exception {
        endpoint.allowed = 1;
        DirectLaneReport direct = archive(untilProbed(through(offer(required, url(endpoint.port())))))
                .direct();
        assertEquals(1, direct.connections());
        assertEquals(1, endpoint.most.get());
        assertTrue(direct.wireBytes() > 0);
        assertNull(direct.problem());
    }

    @Test
    void streamReplacesBusyConnectionsWithoutFailure() throws Exception {
        endpoint.allowed = 0;
        assertNull(archive(untilProbed(through(offer(false, url(endpoint.port())))))
                .direct());
        assertEquals(0, endpoint.bytes.get());

        assertFailsWith("all connections for it are in use", () -> archive(through(offer(true, url(endpoint.port())))));
    }

    @Test
    void requiredLaneCarriesAllBytes() throws Exception {
        SendReport sent = archive(through(offer(true, url(endpoint.port())))
                .through(out -> new LaneHook(out, (write, length) -> {
                    throw new IOException("the stream must not be used");
                })));
        assertEquals(sent.wireBytes(), sent.direct().wireBytes());
    }

    @Test
    void smallTransferSkipsProbe() throws Exception {
        Files.write(workspace.resolve("large"), new byte[100_000]);
        assertNull(archive(through(offer(false, url(endpoint.port())))).direct());
        assertTrue(endpoint.connections.isEmpty());
    }

    @ParameterizedTest
    @EnumSource(FaultyHttpProxy.Fault.class)
    void streamResendsUnacknowledgedFrames(FaultyHttpProxy.Fault fault) throws Exception {
        try (FaultyHttpProxy server = new FaultyHttpProxy(endpoint.port(), fault)) {
            DirectLaneOffer.Limits limits = fault.reason().startsWith("no answer") ? SHORT_LIMITS : LONG_LIMITS;
            DirectLaneReport direct = archive(untilProbed(through(offer(limits, false, url(server.port())))))
                    .direct();
            assertTrue(direct.failed(), direct.toString());
            assertTrue(direct.problem().contains(fault.reason()), direct.problem());
            assertTrue(direct.problem().startsWith(url(server.port())), direct.problem());
            assertEquals(0, direct.wireBytes());
        }
    }

    @Test
    void connectionThatBreaksOnceIsReplaced() throws Exception {
        endpoint.allowed = 1;
        endpoint.breaks.set(1);
        DirectLaneReport direct = archive(untilProbed(through(offer(false, url(endpoint.port())))))
                .direct();
        assertNull(direct.problem());
        assertEquals(DirectLaneReport.Outcome.WORKED, direct.outcome());
        assertEquals(1, direct.connections());
        assertEquals(endpoint.bytes.get(), direct.wireBytes());
        assertTrue(direct.wireBytes() > 0);
    }

    /** Blocks the stream after 6 MiB (three writes per block), when the probe has started, until the probe has ended. */
    private static Loopback untilProbed(Loopback loopback) {
        return loopback.through(out -> new LaneHook(out, (write, length) -> {
            while (write == 3 * 24 && Threads.ofTransfers().stream().anyMatch(DirectLaneGroupTest::probes)) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
            return true;
        }));
    }

    private static boolean probes(Thread thread) {
        return thread.getName().endsWith("direct probe");
    }

    @ParameterizedTest
    @EnumSource(
            value = FaultyHttpProxy.Fault.class,
            names = {"NOT_FOUND", "DIES_HALFWAY"})
    void failedRequiredLaneFailsTransfer(FaultyHttpProxy.Fault fault) throws Exception {
        try (FaultyHttpProxy server = new FaultyHttpProxy(endpoint.port(), fault)) {
            assertFailsWith(
                    "Direct HTTP transfer is required", () -> archive(through(offer(true, url(server.port())))));
            assertFalse(Files.exists(archive));
        }
    }

    @Test
    void transferSurvivesLostReceiptsOfLargestBlocks() throws Exception {
        SendOptions large = new SendOptions(Codec.NONE, 0, 4 << 20, 2);
        try (FaultyHttpProxy server = new FaultyHttpProxy(endpoint.port(), FaultyHttpProxy.Fault.RECEIPT_LOST)) {
            ArrayList<String> urls = new ArrayList<>(List.of(url(server.port())));
            DirectLaneOffer fiveLanes =
                    new DirectLaneOffer(urls, LaneEnd.SECRET, false, 5, false, DirectLaneOffer.MAX_BODY, LONG_LIMITS);
            DirectLaneReport direct = archive(untilProbed(Loopback.with(large).direct(fiveLanes, endpoint::leadTo)))
                    .direct();
            assertTrue(direct.failed(), direct.toString());
        }
    }

    @Test
    void invalidAddressIsReported() throws Exception {
        assertFailsWith(
                "http://build server.example/", () -> archive(through(offer(true, "http://build server.example/"))));
        assertTrue(archive(untilProbed(through(offer(false, "http://build server.example/"))))
                .direct()
                .failed());
    }

    @Test
    void closedPortIsReportedAsUnreachable() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        DirectLaneReport direct =
                archive(untilProbed(through(offer(false, url(port))))).direct();
        assertTrue(direct.failed());
        assertEquals(Set.of(LaneFailure.UNREACHABLE), direct.kinds());
    }

    @Test
    void secondAddressIsTriedAfterFirstFails() throws Exception {
        try (FaultyHttpProxy first = new FaultyHttpProxy(endpoint.port(), FaultyHttpProxy.Fault.NOT_FOUND)) {
            DirectLaneReport direct = archive(
                            untilProbed(through(offer(false, url(first.port()), url(endpoint.port())))))
                    .direct();
            assertEquals(url(endpoint.port()), direct.url());
            assertNull(direct.problem());
            assertFalse(direct.failed());
        }
    }

    @Test
    void rejectionByReceiverFailsTransfer() throws Exception {
        Map<String, String> names = FileTrees.names(workspace);
        assertFailsWith(
                "it was not requested",
                () -> through(offer(true, url(endpoint.port()))).archive(workspace, names, archive, Set.of("another")));
        assertFalse(Files.exists(archive));
    }

    @Test
    void unreadableFileFailsTransferOverDirectLane() throws Exception {
        Map<String, String> names = new LinkedHashMap<>(FileTrees.names(workspace));
        names.put("gone", "gone");
        assertFailsWith("gone", () -> through(offer(true, url(endpoint.port()))).archive(workspace, names, archive));
        assertFalse(Files.exists(archive));
    }

    @Test
    void httpsReusesConnections() throws Exception {
        try (Tls tls = Tls.create(tmp);
                FakeEndpoint secure = new FakeEndpoint(tls.context())) {
            tls.trust();
            DirectLaneReport direct = archive(Loopback.with(UNCOMPRESSED)
                            .direct(offer(true, "https://localhost:" + secure.port() + "/"), secure::leadTo))
                    .direct();
            assertNull(direct.problem());
            assertTrue(secure.connections.size() <= 4, secure.connections.size() + " connections were not kept");
        }
    }

    @Test
    void untrustedCertificateIsReported() throws Exception {
        try (Tls tls = Tls.create(tmp);
                FakeEndpoint secure = new FakeEndpoint(tls.context())) {
            DirectLaneReport direct = archive(untilProbed(Loopback.with(UNCOMPRESSED)
                            .direct(offer(false, "https://localhost:" + secure.port() + "/"), secure::leadTo)))
                    .direct();
            assertTrue(direct.failed());
            assertEquals(Set.of(LaneFailure.UNTRUSTED_CERTIFICATE), direct.kinds());
        }
    }
}
