package io.jenkins.plugins.compressionaware.engine.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.directlane.EndpointServer;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.testing.FaultyHttpProxy;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.LaneHook;
import io.jenkins.plugins.compressionaware.testing.Loopback;
import io.jenkins.plugins.compressionaware.testing.Offers;
import io.jenkins.plugins.compressionaware.testing.ShapingProxy;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A thin line, or a proxy that delays, inspects or limits requests: the agent connection sends what requests do not deliver, and the cause is reported. */
@Timeout(120)
class HinderedRequestsTest {
    private static final int CONNECTIONS = 3;

    /** Bytes of a body with one block. */
    private static final int ONE_BLOCK = 257 * 1024;

    @TempDir
    private Path tmp;

    @AutoClose
    private final EndpointServer endpoint = new EndpointServer();

    HinderedRequestsTest() throws IOException {}

    /** A connection over a shared line. Its bytes have arrived when {@link #pass} returns. */
    private static final class Tunnel implements Closeable {
        private final ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        private final Socket near;
        private final Socket far;

        Tunnel(ShapingProxy line) throws IOException {
            near = new Socket(InetAddress.getLoopbackAddress(), line.portTo(server.getLocalPort()));
            far = server.accept();
            near.setTcpNoDelay(true); // a length and its bytes would wait 40 ms for each other
            far.setTcpNoDelay(true);
            Thread receiver = new Thread(this::receive, "tunnel");
            receiver.setDaemon(true);
            receiver.start();
        }

        private void receive() {
            try {
                DataInputStream in = new DataInputStream(far.getInputStream());
                while (true) {
                    in.readFully(new byte[in.readInt()]);
                    far.getOutputStream().write(1);
                }
            } catch (IOException e) {
                // the tunnel is closed
            }
        }

        boolean pass(int length) throws IOException {
            DataOutputStream out = new DataOutputStream(near.getOutputStream());
            out.writeInt(length);
            out.write(new byte[length]);
            new DataInputStream(near.getInputStream()).readByte();
            return true;
        }

        @Override
        public void close() throws IOException {
            try (server;
                    near;
                    far) {
                // closes all
            }
        }
    }

    private Loopback loopback(int port, int mostBody, DirectLaneOffer.Limits limits) {
        return Loopback.with(new SendOptions(Codec.NONE, 0)).direct(receiver -> {
            ArrayList<String> urls = new ArrayList<>(List.of(Offers.url(port)));
            return new DirectLaneOffer(urls, endpoint.open(receiver), CONNECTIONS, false, mostBody, limits);
        });
    }

    /** Archives incompressible bytes over a stream that waits for the end of the probe, and then writes 5 MB/s while direct lanes exist. */
    private Loopback.Result archive(FaultyHttpProxy proxy, int mostBody) throws Exception {
        return archive(loopback(proxy.port(), mostBody, Offers.LONG_LIMITS).through(LaneHook::afterProbe), 20 << 20);
    }

    private Loopback.Result archive(Loopback loopback, int length) throws Exception {
        Path workspace = tmp.resolve("workspace");
        Path archive = tmp.resolve("archive");
        FileTrees.noise(workspace.resolve("noise"), length);
        Loopback.Result result = loopback.archive(workspace, FileTrees.names(workspace), archive);
        assertEquals(FileTrees.describe(workspace), FileTrees.describe(archive));
        return result;
    }

    /** Three requests of the greatest length would exceed their time limit, even if they had the whole line. */
    @Test
    void requestsFitThinLine() throws Exception {
        DirectLaneOffer.Limits limits = new DirectLaneOffer.Limits(2_500, 2_500);
        try (ShapingProxy line = new ShapingProxy(8_000_000, 1);
                Tunnel agentConnection = new Tunnel(line)) {
            Loopback.Result result = archive(
                    loopback(line.portTo(endpoint.port()), DirectLaneOffer.MAX_BODY, limits)
                            .through(out -> new LaneHook(out, (write, length) -> agentConnection.pass(length))),
                    10_500_000);
            DirectLaneReport direct = result.sent().direct();
            assertNull(direct.problem());
            assertEquals(DirectLaneReport.Outcome.WORKED, direct.outcome());
            assertTrue(direct.wireBytes() > 0);
            long repeated = result.sent().figures().wireBytes()
                    - result.received().figures().wireBytes();
            assertTrue(repeated <= DirectLaneOffer.MAX_BODY, repeated + " bytes were sent twice");
        }
    }

    /** Like limit_req of nginx, which delays requests by default. */
    @Test
    void agentConnectionSendsMostIfProxyDelaysRequests() throws Exception {
        long delay = 500;
        Object turn = new Object();
        FaultyHttpProxy.Script oneAtATime = body -> {
            synchronized (turn) {
                try {
                    TimeUnit.MILLISECONDS.sleep(delay);
                } catch (InterruptedException e) {
                    throw new InterruptedIOException();
                }
            }
            return null;
        };
        try (FaultyHttpProxy proxy = new FaultyHttpProxy(endpoint.port(), oneAtATime)) {
            Loopback.Result result = archive(proxy, DirectLaneOffer.MAX_BODY);
            DirectLaneReport direct = result.sent().direct();
            assertNull(direct.problem());
            long all = result.received().figures().wireBytes();
            assertTrue(direct.wireBytes() < all / 2, direct.wireBytes() + " of " + all);
            assertTrue(direct.answerNanos() >= TimeUnit.MILLISECONDS.toNanos(delay), direct.toString());
        }
    }

    /** A firewall takes some bodies for an attack. */
    @Test
    void refusedContentDoesNotLowerSize() throws Exception {
        FaultyHttpProxy.Script everyEighth = body -> body % 8 == 0 && body > 0 ? FaultyHttpProxy.Fault.FORBIDDEN : null;
        try (FaultyHttpProxy proxy = new FaultyHttpProxy(endpoint.port(), everyEighth)) {
            DirectLaneReport direct = archive(proxy, ONE_BLOCK).sent().direct();
            assertTrue(proxy.bodies() > 0, "no request was refused");
            assertTrue(direct.wireBytes() > 0);
            assertEquals(ONE_BLOCK, direct.bodyLimit());
            assertEquals(Set.of(LaneFailure.CONTENT), direct.kinds());
            assertEquals(Offers.url(proxy.port()) + ": the answer is HTTP 403", direct.problem());
            assertFalse(direct.failed());
        }
    }

    @Test
    void refusalOfBusyProxyCostsOneConnection() throws Exception {
        FaultyHttpProxy.Script sixth = body -> body == 6 ? FaultyHttpProxy.Fault.TOO_MANY_REQUESTS : null;
        try (FaultyHttpProxy proxy = new FaultyHttpProxy(endpoint.port(), sixth)) {
            DirectLaneReport direct =
                    archive(proxy, DirectLaneOffer.MAX_BODY).sent().direct();
            assertEquals(1, proxy.bodies());
            assertEquals(DirectLaneReport.Outcome.LOST_A_CONNECTION, direct.outcome());
            assertEquals(Offers.url(proxy.port()) + ": the answer is HTTP 429", direct.problem());
            assertEquals(Set.of(LaneFailure.BUSY), direct.kinds());
            assertEquals(CONNECTIONS, direct.connections());
            assertTrue(direct.wireBytes() > 0);
        }
    }
}
