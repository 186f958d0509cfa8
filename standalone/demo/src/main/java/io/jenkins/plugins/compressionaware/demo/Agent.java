package io.jenkins.plugins.compressionaware.demo;

import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.engine.send.SendTarget;
import io.jenkins.plugins.compressionaware.engine.send.Sender;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The agent's process of the demo. It opens one connection for requests and reports, and one for the files of each
 * request.
 */
public final class Agent {
    /** A request of the controller to send files. */
    record Request(String folder, List<String> names, Way way) implements Serializable {}

    /**
     * The agent's answer to a request.
     *
     * @param failure reason of a failure; null after success
     * @param remark  reason why a requested codec was not used; empty if it was used
     */
    record Report(String failure, String remark) implements Serializable {}

    private final int port;

    private Agent(int port) {
        this.port = port;
    }

    /** Serves requests until the controller closes the first connection. */
    public static void main(String[] args) throws IOException, ClassNotFoundException, InterruptedException {
        new Agent(Integer.parseInt(args[0])).work();
    }

    private void work() throws IOException, ClassNotFoundException, InterruptedException {
        try (Socket control = connect();
                ObjectOutputStream reports = new ObjectOutputStream(control.getOutputStream());
                ObjectInputStream requests = new ObjectInputStream(control.getInputStream())) {
            while (true) {
                reports.writeObject(execute((Request) requests.readObject()));
            }
        } catch (EOFException e) {
            // the controller has closed the connection
        }
    }

    private Report execute(Request request) throws InterruptedException {
        try (Socket data = connect()) {
            String remark = send(request, data);
            data.shutdownOutput();
            // read all credits first: closing a socket with unread bytes resets the connection and discards bytes in
            // flight
            data.getInputStream().transferTo(OutputStream.nullOutputStream());
            return new Report(null, remark);
        } catch (IOException e) {
            return new Report(e.toString(), "");
        }
    }

    private static String send(Request request, Socket data) throws IOException, InterruptedException {
        Path folder = Path.of(request.folder());
        Map<String, String> files = new HashMap<>();
        request.names().forEach(name -> files.put(name, name));
        if (request.way().isCore()) {
            CoreTransfer.send(folder, files, data.getOutputStream());
            return "";
        }
        long credit = new DataInputStream(data.getInputStream()).readLong();
        SendReport sent = Sender.send(
                folder,
                files,
                request.way().options(),
                new SendTarget(
                        List.of(data.getOutputStream()),
                        data.getInputStream(),
                        credit,
                        0,
                        0,
                        0,
                        Double.NaN,
                        // both processes share this machine
                        Runtime.getRuntime().availableProcessors(),
                        null,
                        null),
                null);
        return sent.zstdProblem() == null ? "" : "zstd does not work: " + sent.zstdProblem();
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        return socket;
    }
}
