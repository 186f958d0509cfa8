package io.jenkins.plugins.compressionaware.transfer;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.ssl.SSLSocketFactory;

/**
 * TLS over sockets that another thread can close at any time. {@link java.net.HttpURLConnection} makes a plain socket if its factory cannot
 * make an unconnected one, as here, and has the factory layer TLS over it.
 */
final class AbortableTls extends SSLSocketFactory implements Closeable {
    private final SSLSocketFactory tls;
    private Socket last;
    private boolean closed;

    AbortableTls(SSLSocketFactory tls) {
        this.tls = tls;
    }

    @Override
    public synchronized Socket createSocket(Socket connected, String host, int port, boolean autoClose)
            throws IOException {
        if (closed) {
            throw new IOException("closed");
        }
        last = connected;
        return tls.createSocket(connected, host, port, autoClose);
    }

    /** Closes the connection made last. */
    @Override
    public synchronized void close() {
        closed = true;
        try {
            if (last != null) {
                last.close();
            }
        } catch (IOException e) {
            // it is not needed any more
        }
    }

    @Override
    public String[] getDefaultCipherSuites() {
        return tls.getDefaultCipherSuites();
    }

    @Override
    public String[] getSupportedCipherSuites() {
        return tls.getSupportedCipherSuites();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return tls.createSocket(host, port);
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
        return tls.createSocket(host, port, localHost, localPort);
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return tls.createSocket(host, port);
    }

    @Override
    public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort)
            throws IOException {
        return tls.createSocket(address, port, localAddress, localPort);
    }
}
