package io.jenkins.plugins.compressionaware.testing.jenkins;

import hudson.remoting.Channel;
import hudson.remoting.ChannelBuilder;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Both ends of a channel over a socket in one JVM, without a computer, so that a test controls the agent's end. */
public final class AgentInThisJvm implements Closeable {
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Calls calls = new Calls();
    private final Channel agent;
    private final Channel controller;

    /** Runs the calls to the agent. */
    private static final class Calls extends ThreadPoolExecutor {
        private volatile boolean silent;

        Calls() {
            super(0, Integer.MAX_VALUE, 60, TimeUnit.SECONDS, new SynchronousQueue<>());
        }

        @Override
        public void execute(Runnable call) {
            if (!silent) {
                super.execute(call);
            }
        }
    }

    public AgentInThisJvm() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Socket there = new Socket(server.getInetAddress(), server.getLocalPort());
            Socket here = server.accept();
            Future<Channel> connecting = threads.submit(() -> build("agent", calls, there, true));
            // as in Jenkins, the controller loads no classes from the agent
            controller = build("controller", threads, here, false);
            agent = connecting.get();
        }
    }

    private static Channel build(String name, ExecutorService threads, Socket socket, boolean loadsClasses)
            throws IOException {
        return new ChannelBuilder(name, threads)
                .withMode(Channel.Mode.BINARY)
                .withRemoteClassLoadingAllowed(loadsClasses)
                .build(new BufferedInputStream(socket.getInputStream()), socket.getOutputStream());
    }

    /** Returns the controller's end. */
    public Channel channel() {
        return controller;
    }

    /** Stops running calls. The agent still reads the channel. */
    public void fallSilent() {
        calls.silent = true;
    }

    @Override
    public void close() throws IOException {
        controller.close();
        agent.close();
        threads.shutdownNow();
        calls.shutdownNow();
    }
}
