package io.jenkins.plugins.compressionaware.demo;

import io.jenkins.plugins.compressionaware.engine.receive.Receiver;
import io.jenkins.plugins.compressionaware.engine.tar.EntryDecoder;
import java.io.Closeable;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.commons.io.IOUtils;
import org.apache.commons.io.output.CloseShieldOutputStream;

/**
 * The controller's process of the demo. It starts the agent's process, requests files from it, unpacks them and
 * measures.
 */
final class Controller implements Closeable {
    /** A small heap, because the agent needs the same memory for any number of files. */
    static final String HEAP = "-Xmx128m";

    private static final int READ_BUFFER = 100 * 1024;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    private final Process agent;
    private final Socket control;
    private final ObjectOutputStream requests;
    private final ObjectInputStream reports;

    /**
     * Starts the agent's process, and waits for its first connection.
     *
     * @param temp folder for native libraries of the codecs
     */
    Controller(Path temp) throws IOException {
        List<String> options = new ArrayList<>(List.of(HEAP, "-Djava.io.tmpdir=" + temp));
        options.addAll(List.of(System.getProperty("demo.java.options", "").split(" ")));
        options.removeIf(String::isEmpty);
        agent = JavaProgram.of(options, Agent.class, Integer.toString(server.getLocalPort()))
                .inheritIO()
                .start();
        // ends the wait for the agent's next connection
        agent.onExit().thenRun(() -> IOUtils.closeQuietly(server));
        try {
            control = accept();
            requests = new ObjectOutputStream(control.getOutputStream());
            reports = new ObjectInputStream(control.getInputStream());
        } catch (IOException e) {
            agent.destroyForcibly();
            throw e;
        }
    }

    long agentPid() {
        return agent.pid();
    }

    /** Archives files of a folder into another folder, which must not exist. */
    Sample archive(Path folder, List<String> names, Way way, Path archive) throws IOException, InterruptedException {
        Set<String> expected = Set.copyOf(names);
        boolean core = way.isCore();
        Sample sample = new Sample();
        long start = System.nanoTime();
        double agentCpu = JavaProgram.cpuSeconds(agent.toHandle());
        double ownCpu = JavaProgram.cpuSeconds(ProcessHandle.current());
        requests.writeObject(new Agent.Request(folder.toString(), names, way));
        try (Socket data = accept();
                Receiver receiver = core
                        ? null
                        : new Receiver(
                                archive,
                                null,
                                expected,
                                EntryDecoder.NONE,
                                way.options().blockSize(),
                                threads)) {
            sample.wireBytes = receive(data, receiver, expected, archive);
            // the agent reads until the end of this stream
            data.shutdownOutput();
            sample.note = report().remark();
            if (receiver != null) {
                receiver.commit();
            }
        }
        sample.wallSeconds = (System.nanoTime() - start) / 1e9;
        sample.agentCpu = JavaProgram.cpuSeconds(agent.toHandle()) - agentCpu;
        sample.controllerCpu = JavaProgram.cpuSeconds(ProcessHandle.current()) - ownCpu;
        return sample;
    }

    /**
     * Receives the files, and returns the number of bytes received.
     *
     * @param receiver null for the protocol of Jenkins core
     */
    private long receive(Socket data, Receiver receiver, Set<String> names, Path archive)
            throws IOException, InterruptedException {
        try {
            if (receiver == null) {
                return CoreTransfer.receive(data.getInputStream(), Files.createDirectories(archive), names);
            }
            long credit = receiver.inbox().credit();
            new DataOutputStream(data.getOutputStream()).writeLong(credit);
            OutputStream lane = receiver.inbox().newLane();
            Future<?> reading = threads.submit(() -> IOUtils.copy(data.getInputStream(), lane, READ_BUFFER));
            receiver.start();
            // the socket is used until the agent has closed its end
            try (Closeable credits =
                    receiver.sendCredit(CloseShieldOutputStream.wrap(data.getOutputStream()), credit)) {
                return receiver.awaitEnd(() -> {
                            if (reading.isDone()) {
                                throwReason(reading);
                            }
                        })
                        .figures()
                        .wireBytes();
            }
        } catch (IOException e) {
            // unblocks the agent, whose report has the cause if the agent has failed itself
            data.close();
            try {
                report();
            } catch (IOException reason) {
                e.addSuppressed(reason);
            }
            throw e;
        }
    }

    private static void throwReason(Future<?> reading) throws IOException, InterruptedException {
        try {
            reading.get();
        } catch (ExecutionException e) {
            throw new IOException("Cannot read from the agent: " + e.getCause().getMessage(), e.getCause());
        }
        throw new IOException("The agent has closed the connection before the end of the files");
    }

    /** Waits for the report on the last request. */
    private Agent.Report report() throws IOException {
        Agent.Report report;
        try {
            report = (Agent.Report) reports.readObject();
        } catch (EOFException | ClassNotFoundException e) {
            throw gone(e);
        }
        if (report.failure() != null) {
            throw new IOException("The agent failed: " + report.failure());
        }
        return report;
    }

    private Socket accept() throws IOException {
        try {
            Socket socket = server.accept();
            socket.setTcpNoDelay(true);
            return socket;
        } catch (SocketException e) {
            throw gone(e);
        }
    }

    private IOException gone(Exception cause) {
        agent.onExit().completeOnTimeout(agent, 5, TimeUnit.SECONDS).join();
        String end = agent.isAlive() ? "closed its connection" : "ended with exit code " + agent.exitValue();
        return new IOException("The agent's process has " + end, cause);
    }

    @Override
    public void close() throws IOException {
        threads.shutdownNow();
        server.close();
        control.close();
        JavaProgram.end(agent.toHandle());
    }
}
