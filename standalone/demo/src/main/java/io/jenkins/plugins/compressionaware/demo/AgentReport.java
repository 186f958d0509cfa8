package io.jenkins.plugins.compressionaware.demo;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * What the agent says when it has carried out an order.
 *
 * @param failure  why it could not; empty if it could
 * @param remark   which other codec it had to use and why; empty if none
 * @param cpuNanos CPU time of its process
 */
record AgentReport(String failure, String remark, long cpuNanos) {
    // a message may be longer than writeUTF can take
    private static final int LONGEST = 10_000;

    static AgentReport ofFailure(Exception e) {
        String message = e.getMessage() != null ? e.getMessage() : e.toString();
        return new AgentReport(message.substring(0, Math.min(LONGEST, message.length())), "", 0);
    }

    void write(DataOutputStream out) throws IOException {
        out.writeUTF(failure);
        out.writeUTF(remark);
        out.writeLong(cpuNanos);
        out.flush();
    }

    static AgentReport read(DataInputStream in) throws IOException {
        return new AgentReport(in.readUTF(), in.readUTF(), in.readLong());
    }
}
