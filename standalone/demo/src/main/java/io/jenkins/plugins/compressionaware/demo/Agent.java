package io.jenkins.plugins.compressionaware.demo;

import io.jenkins.plugins.compressionaware.engine.send.SendTarget;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
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
import java.util.stream.Collectors;

/** The agent's process. Its first connection carries orders and reports; each order has one more, for the files. */
public final class Agent {
    /** What the controller wants, and all it tells. */
    record Order(String folder, List<String> names, Way way) implements Serializable {}

    /**
     * What the agent says when it has carried out an order.
     *
     * @param failure why it could not; null if it could
     * @param remark  which other codec it had to use and why; empty if none
     */
    record Report(String failure, String remark) implements Serializable {}

    private final int port;

    private Agent(int port) {
        this.port = port;
    }

    /** Works until the controller closes the first connection or is gone. */
    public static void main(String[] args) throws IOException, ClassNotFoundException, InterruptedException {
        new Agent(Integer.parseInt(args[0])).work();
    }

    private void work() throws IOException, ClassNotFoundException, InterruptedException {
        try (Socket control = connect();
                ObjectOutputStream reports = new ObjectOutputStream(control.getOutputStream());
                ObjectInputStream orders = new ObjectInputStream(control.getInputStream())) {
            while (true) {
                reports.writeObject(carryOut((Order) orders.readObject()));
            }
        } catch (EOFException e) {
            // nothing more is wanted
        }
    }

    private Report carryOut(Order order) throws InterruptedException {
        try (Socket data = connect()) {
            String remark = send(order, data);
            data.shutdownOutput();
            // closing a socket with unread bytes, here credits, resets the connection, and what is on its way is lost
            data.getInputStream().transferTo(OutputStream.nullOutputStream());
            return new Report(null, remark);
        } catch (IOException e) {
            return new Report(e.toString(), "");
        }
    }

    private static String send(Order order, Socket data) throws IOException, InterruptedException {
        Path folder = Path.of(order.folder());
        Map<String, String> files = new HashMap<>();
        order.names().forEach(name -> files.put(name, name));
        if (order.way().isCore()) {
            CoreTransfer.send(folder, files, data.getOutputStream());
            return "";
        }
        long credit = new DataInputStream(data.getInputStream()).readLong();
        SendReport sent = Sender.send(
                folder,
                files,
                order.way().options(),
                new SendTarget(
                        List.of(data.getOutputStream()),
                        data.getInputStream(),
                        credit,
                        0,
                        // the other process runs on this machine, too
                        Runtime.getRuntime().availableProcessors(),
                        null),
                null);
        return sent.unusable().stream()
                .map(lacking -> lacking.codec().symbol() + " does not work: " + lacking.reason())
                .collect(Collectors.joining("; "));
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        return socket;
    }
}
