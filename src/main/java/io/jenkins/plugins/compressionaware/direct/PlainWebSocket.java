package io.jenkins.plugins.compressionaware.direct;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.Extension;
import hudson.FilePath;
import hudson.model.Computer;
import hudson.model.TaskListener;
import hudson.remoting.Channel;
import hudson.remoting.ChannelProperty;
import hudson.remoting.VirtualChannel;
import hudson.slaves.ComputerListener;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import jenkins.slaves.JnlpAgentReceiver;
import org.jenkinsci.remoting.engine.JnlpConnectionState;
import org.kohsuke.stapler.Stapler;

/**
 * Notes the address at which each channel that is a WebSocket without encryption has come in, as seen by this controller, whatever the agent says.
 * Requests to the same address take the same way, so they are as well protected as such a channel.
 */
final class PlainWebSocket {
    private static final ChannelProperty<String> PROPERTY = new ChannelProperty<>(String.class, "plain WebSocket");

    /** Headers in which a proxy with TLS in front of Jenkins says so. */
    private static final List<String> FORWARDED =
            List.of("X-Forwarded-Proto", "Forwarded", "X-Forwarded-Ssl", "Front-End-Https");

    private static final Pattern TLS = Pattern.compile("https|wss|\\bon\\b", Pattern.CASE_INSENSITIVE);

    /** Cookies of connections, mapped to addresses, for the moment between request and channel. The oldest, of lost connections, make room. */
    private static final Map<String, String> CONNECTING = Collections.synchronizedMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;
        private static final int MOST = 1000;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
            return size() > MOST;
        }
    });

    private PlainWebSocket() {}

    /** As {@link LaneAddresses#usual}; null if the channel is or may be encrypted. */
    @CheckForNull
    static String of(VirtualChannel channel) {
        return channel instanceof Channel c ? c.getProperty(PROPERTY) : null;
    }

    /** The address of a request without encryption; null if it had TLS on any part of its way. */
    @CheckForNull
    static String address(HttpServletRequest request) {
        boolean encrypted = request.isSecure()
                || FORWARDED.stream()
                        .flatMap(name -> Collections.list(request.getHeaders(name)).stream())
                        .anyMatch(value -> TLS.matcher(value).find());
        if (encrypted) {
            return null;
        }
        String host = request.getServerName();
        return LaneAddresses.usual("http://" + (host.contains(":") && !host.startsWith("[") ? '[' + host + ']' : host)
                + ':' + request.getServerPort() + request.getContextPath());
    }

    /** Hears of each inbound agent that has shown its secret, on the thread of its request if it is a WebSocket. */
    @Extension(ordinal = 1000)
    public static final class Receiver extends JnlpAgentReceiver {
        @Override
        protected boolean owns(String clientName) {
            return false;
        }

        @Override
        public void afterProperties(JnlpConnectionState event) {
            String cookie = event.getProperty(JnlpConnectionState.COOKIE_KEY);
            if (cookie != null) {
                CONNECTING.remove(cookie);
                HttpServletRequest request = Stapler.getCurrentRequest2();
                String address = request == null ? null : address(request);
                if (address != null) {
                    CONNECTING.put(cookie, address);
                }
            }
        }

        @Override
        public void afterChannel(JnlpConnectionState event) {
            // only the owner of a channel hears of it
        }
    }

    /** Notes the address on the channel that follows. */
    @Extension
    public static final class Connected extends ComputerListener {
        @Override
        public void preOnline(Computer computer, Channel channel, FilePath root, TaskListener listener) {
            Object cookie = channel.getProperty(JnlpConnectionState.COOKIE_KEY);
            String address = cookie instanceof String ? CONNECTING.remove(cookie) : null;
            if (address != null) {
                channel.setProperty(PROPERTY, address);
            }
        }
    }
}
