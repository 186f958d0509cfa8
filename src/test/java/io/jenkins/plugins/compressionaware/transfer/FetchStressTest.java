package io.jenkins.plugins.compressionaware.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.receive.Fetcher;
import io.jenkins.plugins.compressionaware.receive.HeapBudget;
import io.jenkins.plugins.compressionaware.send.SendOptions;
import io.jenkins.plugins.compressionaware.send.Sender;
import io.jenkins.plugins.compressionaware.send.StoredSender;
import io.jenkins.plugins.compressionaware.stored.StoredFrames;
import io.jenkins.plugins.compressionaware.stored.StoredWriter;
import io.jenkins.plugins.compressionaware.testkit.CreditPipe;
import io.jenkins.plugins.compressionaware.testkit.Threads;
import io.jenkins.plugins.compressionaware.testkit.Trees;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stored files that are fetched while the server of the direct lane fails in any way and builds are aborted: each arrives whole or not at all. */
class FetchStressTest {
    private static final int ROUNDS = 30;

    /** By when most of them would be over, milliseconds. */
    private static final int SOMETIME = 200;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Random random = new Random(7);
    private final AtomicReference<Throwable> unexpected = new AtomicReference<>();

    @TempDir
    private Path folder;

    private Map<String, String> tree;
    private byte[] stored;
    private HttpServer server;

    @BeforeEach
    void store() throws Exception {
        Path source = Files.createDirectory(folder.resolve("source"));
        for (int i = 0; i < 60; i++) {
            byte[] bytes = new byte[random.nextInt(400_000)];
            if (i % 2 == 0) {
                random.nextBytes(bytes);
            }
            Files.write(source.resolve("f" + i), bytes);
        }
        tree = Trees.describe(source);
        try (StoredWriter writer = new StoredWriter(file(), folder.resolve("partial"), 256 << 10)) {
            Sender.store(source, Trees.names(source), new SendOptions(Codec.ZSTD, 1), writer);
            writer.commit();
        }
        stored = Files.readAllBytes(file());
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
        Threads.end(threads);
    }

    private Path file() {
        return folder.resolve("stored");
    }

    @Test
    void eachArrivesWholeOrNotAtAll() throws Exception {
        Set<String> outcomes = new TreeSet<>();
        for (int round = 0; round < ROUNDS; round++) {
            outcomes.add(round(round));
        }
        assertTrue(outcomes.contains("whole"), outcomes.toString());
        assertTrue(outcomes.contains("interrupted"), outcomes.toString());
        Threads.joinTransfers();
        assertEquals(0, HeapBudget.ofThisJvm().inUse());
    }

    private String round(int round) throws Exception {
        Path target = Files.createDirectory(folder.resolve("target" + round));
        AtomicReference<String> outcome = new AtomicReference<>();
        Thread build = new Thread(() -> outcome.set(outcome(target)));
        build.start();
        if (random.nextInt(3) == 0) {
            build.join(1 + random.nextInt(SOMETIME));
            build.interrupt();
        }
        build.join(60_000);
        assertFalse(build.isAlive(), "round " + round);
        if (unexpected.get() != null) {
            fail("round " + round, unexpected.get());
        }
        assertEquals(
                outcome.get().equals("whole") ? tree : Map.of(), Trees.describe(target), "round " + round + outcome);
        return outcome.get();
    }

    private String outcome(Path target) {
        DirectOffer offer = new DirectOffer(
                new ArrayList<>(
                        List.of("http://127.0.0.1:" + server.getAddress().getPort() + "/")),
                "token",
                3,
                false,
                DirectOffer.MAX_BODY,
                new DirectOffer.Limits(5000, 1000));
        CreditPipe lane = new CreditPipe();
        List<OutputStream> outs = List.of(lane.sink());
        try (StoredFrames frames = StoredFrames.open(file());
                CreditPipe orders = new CreditPipe();
                StoredSender sender = new StoredSender(frames, orders, outs, threads);
                Fetcher fetcher = new Fetcher(frames.wireBytes(), frames.blockSize())) {
            fetcher.fetch(target, null, List.of(lane), orders.sink(), offer, false);
            return "whole";
        } catch (InterruptedException e) {
            return "interrupted";
        } catch (IOException e) {
            return "failed";
        } catch (RuntimeException | Error e) {
            unexpected.compareAndSet(null, e);
            return "failed";
        }
    }

    /** As a server does, or not: nothing, an error, a page, half of what was asked for, or all of it late. */
    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String range = exchange.getRequestHeaders().getFirst("Range");
            if (range == null) {
                exchange.getResponseHeaders().set(DirectOffer.CONNECTIONS_HEADER, "3");
                exchange.getResponseHeaders().set(DirectOffer.TAKEN_HEADER, "0");
                exchange.sendResponseHeaders(DirectOffer.TAKEN_STATUS, -1);
                return;
            }
            String[] ends = range.substring("bytes=".length()).split("-");
            int first = Integer.parseInt(ends[0]);
            int length = Integer.parseInt(ends[1]) - first + 1;
            int fault;
            synchronized (random) {
                fault = random.nextInt(20);
            }
            switch (fault) {
                case 0 -> {}
                case 1 -> exchange.sendResponseHeaders(404, -1);
                case 2 -> {
                    byte[] page = "<html>".getBytes(StandardCharsets.US_ASCII);
                    exchange.sendResponseHeaders(200, page.length);
                    exchange.getResponseBody().write(page);
                }
                default -> {
                    if (fault == 4) {
                        Thread.sleep(300);
                    }
                    exchange.getResponseHeaders().set(DirectOffer.TAKEN_HEADER, Integer.toString(length));
                    exchange.getResponseHeaders()
                            .set("Content-Range", "bytes " + first + '-' + (first + length - 1) + '/' + stored.length);
                    exchange.sendResponseHeaders(206, length);
                    exchange.getResponseBody().write(stored, first, fault == 3 ? length / 2 : length);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
