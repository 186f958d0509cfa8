package io.jenkins.plugins.compressionaware.demo;

import io.jenkins.plugins.compressionaware.send.Route;
import io.jenkins.plugins.compressionaware.send.SendReport;
import io.jenkins.plugins.compressionaware.send.Sender;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The agent's process. Its first connection carries orders and reports; each order has one more, for the files. */
public final class Agent {
    private final int port;

    private Agent(int port) {
        this.port = port;
    }

    /** Works until the controller closes the first connection or is gone. */
    public static void main(String[] args) throws IOException, InterruptedException {
        new Agent(Integer.parseInt(args[0])).work();
    }

    private void work() throws IOException, InterruptedException {
        try (Socket control = connect();
                DataInputStream in = new DataInputStream(new BufferedInputStream(control.getInputStream()));
                DataOutputStream out = new DataOutputStream(new BufferedOutputStream(control.getOutputStream()))) {
            for (Optional<Order> order = Order.read(in); order.isPresent(); order = Order.read(in)) {
                carryOut(order.get()).write(out);
            }
        }
    }

    private AgentReport carryOut(Order order) throws InterruptedException {
        long before = Cpu.nanos();
        try (Socket data = connect()) {
            String remark = send(order, data);
            data.shutdownOutput();
            // closing a socket with unread bytes, here credits, resets the connection, and what is on its way is lost
            data.getInputStream().transferTo(OutputStream.nullOutputStream());
            return new AgentReport("", remark, Cpu.nanos() - before);
        } catch (IOException e) {
            return AgentReport.ofFailure(e);
        }
    }

    private static String send(Order order, Socket data) throws IOException, InterruptedException {
        Map<String, String> files = new HashMap<>();
        order.names().forEach(name -> files.put(name, name));
        if (order.way().isCore()) {
            CoreWay.send(order.folder(), files, data.getOutputStream());
            return "";
        }
        long credit = new DataInputStream(data.getInputStream()).readLong();
        SendReport sent = Sender.send(
                order.folder(),
                files,
                order.way().options(),
                new Route(
                        List.of(data.getOutputStream()),
                        data.getInputStream(),
                        credit,
                        0,
                        // the other process runs on this machine, too
                        Runtime.getRuntime().availableProcessors(),
                        null,
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
