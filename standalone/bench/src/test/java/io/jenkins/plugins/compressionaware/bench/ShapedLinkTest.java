package io.jenkins.plugins.compressionaware.bench;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Lower bounds of time only: a busy machine is slower, never faster. */
class ShapedLinkTest {
    private static final long MILLISECOND = 1_000_000;

    /** Sends bytes through the link to a server that sends them back, and returns the nanoseconds until they are here again. */
    private static long thereAndBack(Shape shape, byte[] bytes) throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ShapedLink link = new ShapedLink(shape)) {
            CompletableFuture<Void> echo = CompletableFuture.runAsync(() -> {
                try (Socket socket = server.accept()) {
                    byte[] all = socket.getInputStream().readAllBytes();
                    socket.getOutputStream().write(all);
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            });
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), link.portTo(server.getLocalPort()))) {
                long start = System.nanoTime();
                socket.getOutputStream().write(bytes);
                socket.shutdownOutput();
                byte[] back = socket.getInputStream().readAllBytes();
                long nanos = System.nanoTime() - start;
                assertArrayEquals(bytes, back);
                echo.join();
                return nanos;
            }
        }
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(1).nextBytes(bytes);
        return bytes;
    }

    @Test
    void bandwidthIsLimitedInEachDirection() throws IOException {
        long nanos = thereAndBack(new Shape("", 8_000_000, 0), random(250_000));
        assertTrue(nanos >= 500 * MILLISECOND, nanos + " ns");
    }

    @Test
    void bothDirectionsAreDelayed() throws IOException {
        long nanos = thereAndBack(new Shape("", 0, 200), random(1));
        assertTrue(nanos >= 200 * MILLISECOND, nanos + " ns");
    }

    @Test
    void moreThanTheWindowPasses() throws IOException {
        thereAndBack(new Shape("", 0, 20), random(20_000_000));
    }

    @Test
    void allPortsShareTheBandwidth() throws IOException {
        Shape shape = new Shape("", 8_000_000, 0);
        try (ServerSocket one = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ServerSocket two = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ShapedLink link = new ShapedLink(shape)) {
            List<Integer> ports = List.of(link.portTo(one.getLocalPort()), link.portTo(two.getLocalPort()));
            long start = System.nanoTime();
            List<CompletableFuture<Void>> senders = new ArrayList<>();
            for (int port : ports) {
                senders.add(CompletableFuture.runAsync(() -> send(port, random(250_000))));
            }
            for (ServerSocket server : List.of(one, two)) {
                try (Socket receiver = server.accept()) {
                    receiver.getInputStream().readAllBytes();
                }
            }
            long nanos = System.nanoTime() - start;
            senders.forEach(CompletableFuture::join);
            assertTrue(nanos >= 450 * MILLISECOND, nanos + " ns");
        }
    }

    private static void send(int port, byte[] bytes) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream().write(bytes);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void loopbackHasNoProxy() throws IOException {
        try (ShapedLink link = new ShapedLink(Shape.LOOPBACK)) {
            assertEquals(1234, link.portTo(1234));
        }
    }
}
