package io.jenkins.plugins.compressionaware.demo;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The agent's process as the controller sees it. */
final class AgentProcess implements Closeable {
    /** Little on purpose: what the agent needs does not depend on what it sends. */
    static final String HEAP = "-Xmx128m";

    private static final int LOOK_AFTER_PROCESS = 200;

    private final ServerSocket server;
    private final Process process;
    private final Socket control;
    private final DataOutputStream orders;
    private final DataInputStream reports;

    /**
     * Starts the process and waits for its first connection.
     *
     * @param temp for what the codecs' libraries unpack
     */
    AgentProcess(Path temp) throws IOException {
        server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        server.setSoTimeout(LOOK_AFTER_PROCESS);
        List<String> options = new ArrayList<>(List.of(HEAP, "-Djava.io.tmpdir=" + temp));
        Stream.of(System.getProperty("demo.java.options", "").split(" "))
                .filter(option -> !option.isEmpty())
                .forEach(options::add);
        process = JavaProgram.of(options, Agent.class, Integer.toString(server.getLocalPort()))
                .inheritIO()
                .start();
        try {
            control = accept();
            orders = new DataOutputStream(new BufferedOutputStream(control.getOutputStream()));
            reports = new DataInputStream(new BufferedInputStream(control.getInputStream()));
        } catch (IOException e) {
            process.destroyForcibly();
            server.close();
            throw e;
        }
    }

    long pid() {
        return process.pid();
    }

    /** Gives an order; the files come over the connection returned. */
    Socket send(Order order) throws IOException {
        order.write(orders);
        return accept();
    }

    private Socket accept() throws IOException {
        while (true) {
            try {
                Socket socket = server.accept();
                socket.setTcpNoDelay(true);
                return socket;
            } catch (SocketTimeoutException e) {
                if (!process.isAlive()) {
                    throw gone(e);
                }
            }
        }
    }

    /**
     * Waits for what the agent says about its last order.
     *
     * @throws IOException the agent's reason if it has failed
     */
    AgentReport report() throws IOException {
        AgentReport report;
        try {
            report = AgentReport.read(reports);
        } catch (EOFException e) {
            throw gone(e);
        }
        if (!report.failure().isEmpty()) {
            throw new IOException("The agent has failed: " + report.failure());
        }
        return report;
    }

    private IOException gone(IOException cause) {
        try {
            if (process.waitFor(5, TimeUnit.SECONDS)) {
                return new IOException("The agent's process has ended with exit code " + process.exitValue(), cause);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return new IOException("The agent's process has closed its connection", cause);
    }

    @Override
    public void close() throws IOException {
        server.close();
        control.close();
        JavaProgram.end(process.toHandle());
    }
}
