package io.jenkins.plugins.compressionaware.demo;

import io.jenkins.plugins.compressionaware.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.receive.Receiver;
import java.io.Closeable;
import java.io.DataOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** The controller's end: orders files from the agent, unpacks them and measures. */
final class Controller implements Closeable {
    private static final int READ_BUFFER = 100 * 1024;

    private final AgentProcess agent;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "controller");
        thread.setDaemon(true);
        return thread;
    });

    Controller(AgentProcess agent) {
        this.agent = agent;
    }

    /** Archives the files of the order into a folder that does not exist yet. */
    Measurement archive(Order order, Path archive) throws IOException, InterruptedException {
        Set<String> names = new HashSet<>(order.names());
        long start = System.nanoTime();
        long cpu = Cpu.nanos();
        ReceiveReport received;
        AgentReport report;
        try (Socket data = agent.send(order)) {
            if (order.way().isCore()) {
                received = receiveAsCore(data, archive, names);
                report = reportAfterTheEnd(data);
            } else {
                try (Receiver receiver =
                        new Receiver(archive, names, order.way().options().blockSize(), threads)) {
                    received = receive(data, receiver);
                    report = reportAfterTheEnd(data);
                    receiver.commit();
                }
            }
        }
        return new Measurement(
                order.way(), System.nanoTime() - start, report.cpuNanos(), Cpu.nanos() - cpu, received, report.remark());
    }

    private AgentReport reportAfterTheEnd(Socket data) throws IOException {
        // the agent reads until it sees this
        if (!data.isClosed()) {
            data.shutdownOutput();
        }
        return agent.report();
    }

    private ReceiveReport receiveAsCore(Socket data, Path archive, Set<String> names) throws IOException {
        Files.createDirectories(archive);
        try {
            return CoreWay.receive(data.getInputStream(), archive, names);
        } catch (IOException e) {
            throw withReasonOfAgent(data, e);
        }
    }

    private ReceiveReport receive(Socket data, Receiver receiver) throws IOException, InterruptedException {
        new DataOutputStream(data.getOutputStream()).writeLong(receiver.credit());
        OutputStream lane = receiver.newLane();
        Future<Void> reading = threads.submit(() -> copy(data.getInputStream(), lane));
        try {
            return receiver.receive(credits(data), () -> {
                if (reading.isDone()) {
                    ended(reading);
                }
            });
        } catch (IOException e) {
            throw withReasonOfAgent(data, e);
        }
    }

    private static OutputStream credits(Socket data) throws IOException {
        return new FilterOutputStream(data.getOutputStream()) {
            @Override
            public void write(byte[] grant) throws IOException {
                out.write(grant);
            }

            @Override
            public void close() {
                // the socket is needed until the agent has closed its end
            }
        };
    }

    private static Void copy(InputStream in, OutputStream lane) throws IOException {
        byte[] buffer = new byte[READ_BUFFER];
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
            lane.write(buffer, 0, n);
        }
        return null;
    }

    private static void ended(Future<Void> reading) throws IOException, InterruptedException {
        try {
            reading.get();
        } catch (ExecutionException e) {
            throw new IOException("Cannot read from the agent: " + e.getCause().getMessage(), e.getCause());
        }
        throw new IOException("The agent has closed the connection before the end of the files");
    }

    /** If the agent has failed itself, its reason is the cause of what went wrong here. */
    private IOException withReasonOfAgent(Socket data, IOException failure) throws IOException {
        // the agent may be waiting for this end
        data.close();
        try {
            agent.report();
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
        return failure;
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
