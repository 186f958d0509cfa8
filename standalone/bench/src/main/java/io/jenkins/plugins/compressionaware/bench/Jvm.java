package io.jenkins.plugins.compressionaware.bench;

import com.sun.management.OperatingSystemMXBean;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.Closeable;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.List;
import javax.management.MBeanServerConnection;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** CPU time and heap of a JVM on this machine, asked through its own management beans, so that nothing of it is on the measured path. */
final class Jvm implements Closeable {
    private final JMXConnector connector;
    private final OperatingSystemMXBean process;
    private final MemoryMXBean memory;
    private final List<MemoryPoolMXBean> heap;

    private Jvm(JMXConnector connector, MBeanServerConnection beans) throws IOException {
        this.connector = connector;
        process = ManagementFactory.getPlatformMXBean(beans, OperatingSystemMXBean.class);
        memory = ManagementFactory.getPlatformMXBean(beans, MemoryMXBean.class);
        heap = ManagementFactory.getPlatformMXBeans(beans, MemoryPoolMXBean.class).stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .toList();
    }

    /** Another JVM of the same user. */
    static Jvm of(long pid) throws IOException {
        String address;
        try {
            VirtualMachine machine = VirtualMachine.attach(Long.toString(pid));
            address = machine.startLocalManagementAgent();
            machine.detach();
        } catch (AttachNotSupportedException e) {
            throw new IOException("Cannot watch process " + pid, e);
        }
        JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(address));
        return new Jvm(connector, connector.getMBeanServerConnection());
    }

    /** Collects garbage and forgets earlier peaks. */
    void reset() {
        memory.gc();
        heap.forEach(MemoryPoolMXBean::resetPeakUsage);
    }

    /** CPU time since the JVM started, with its compiler and garbage collector, seconds. */
    double cpuSeconds() {
        return process.getProcessCpuTime() / 1e9;
    }

    /** Sum of the peaks of the heap's pools since the last {@link #reset}, bytes: no less than the peak of the heap. */
    long peakHeap() {
        return heap.stream().mapToLong(pool -> pool.getPeakUsage().getUsed()).sum();
    }

    @Override
    public void close() throws IOException {
        connector.close();
    }
}
