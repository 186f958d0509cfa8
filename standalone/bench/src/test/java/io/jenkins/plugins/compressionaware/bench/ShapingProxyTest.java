package io.jenkins.plugins.compressionaware.bench;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testing.ShapingProxy;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Asserts only lower bounds of durations, because a busy machine makes transfers slower but never faster. */
class ShapingProxyTest {
    private interface Task {
        void run() throws IOException;
    }

    private static CompletableFuture<Void> start(Task task) {
        return CompletableFuture.runAsync(() -> {
            try {
                task.run();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private static ServerSocket server() throws IOException {
        return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    }

    private static void assertMillis(long minimum, long start) {
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        assertTrue(millis >= minimum, millis + " ms");
    }

    /** Sends bytes to a server that returns them. */
    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "bandwidth is limited in each direction, 8000000,   0,   250000, 495",
        "both directions are delayed,                  0, 200,        1, 200",
        "a window passes per half round trip,          0,  20, 20000000, 140"
    })
    void roundTripIsDelayedAndLimited(String name, long bitsPerSecond, int roundTrip, int length, long minMillis) throws IOException {
        byte[] bytes = FileTrees.noise(length);
        try (ServerSocket server = server();
                ShapingProxy link = new ShapingProxy(bitsPerSecond, roundTrip)) {
            CompletableFuture<Void> echo = start(() -> {
                try (Socket socket = server.accept()) {
                    byte[] all = socket.getInputStream().readAllBytes();
                    socket.getOutputStream().write(all);
                }
            });
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), link.portTo(server.getLocalPort()))) {
                long start = System.nanoTime();
                socket.getOutputStream().write(bytes);
                socket.shutdownOutput();
                assertArrayEquals(bytes, socket.getInputStream().readAllBytes());
                assertMillis(minMillis, start);
            }
            echo.join();
        }
    }

    /** Each byte waits for the response to the previous one, so none may arrive early. */
    @ParameterizedTest
    @ValueSource(longs = {0, 8_000_000})
    void everyResponseIsDelayed(long bitsPerSecond) throws IOException {
        try (ServerSocket server = server();
                ShapingProxy link = new ShapingProxy(bitsPerSecond, 20)) {
            CompletableFuture<Void> echo = start(() -> {
                try (Socket socket = server.accept()) {
                    socket.getInputStream().transferTo(socket.getOutputStream());
                }
            });
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), link.portTo(server.getLocalPort()))) {
                long start = System.nanoTime();
                for (int i = 0; i < 20; i++) {
                    socket.getOutputStream().write(i);
                    assertEquals(i, socket.getInputStream().read());
                }
                assertMillis(400, start);
            }
            echo.join();
        }
    }

    /** A host name may mean either address, so that its server is near or far. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void samePortOfAnotherAddressIsTheLink() throws IOException {
        try (ServerSocket server = server();
                ShapingProxy link = new ShapingProxy(0, 200)) {
            int port = server.getLocalPort();
            link.forward(new InetSocketAddress("127.0.0.2", port), port);
            CompletableFuture<Void> echo = start(() -> {
                try (Socket socket = server.accept()) {
                    socket.getOutputStream().write(socket.getInputStream().read());
                }
            });
            long start = System.nanoTime();
            try (Socket socket = new Socket("127.0.0.2", port)) {
                socket.getOutputStream().write(7);
                assertEquals(7, socket.getInputStream().read());
            }
            assertMillis(400, start); // of which half opens the connection
            echo.join();
        }
    }

    @Test
    void portsShareBandwidth() throws IOException {
        try (ServerSocket one = server();
                ServerSocket two = server();
                ShapingProxy link = new ShapingProxy(8_000_000, 0)) {
            List<Integer> ports = List.of(link.portTo(one.getLocalPort()), link.portTo(two.getLocalPort()));
            long start = System.nanoTime();
            List<CompletableFuture<Void>> senders = new ArrayList<>();
            for (int port : ports) {
                senders.add(start(() -> {
                    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                        socket.getOutputStream().write(FileTrees.noise(250_000));
                    }
                }));
            }
            for (ServerSocket server : List.of(one, two)) {
                try (Socket receiver = server.accept()) {
                    receiver.getInputStream().readAllBytes();
                }
            }
            assertMillis(450, start);
            senders.forEach(CompletableFuture::join);
        }
    }
}
