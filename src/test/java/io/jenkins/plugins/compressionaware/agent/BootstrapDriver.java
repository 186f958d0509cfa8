package io.jenkins.plugins.compressionaware.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** Repeats bootstrap calls for the files of a folder until no files remain or the engine is needed. */
final class BootstrapDriver {
    private final Path workspace;
    private final byte[] names;
    private final int blockSize;
    private final int targetWireBytes;
    int calls;
    int namesOffset;
    boolean needsEngine;
    int blocks;
    int entries;
    long contentBytes;
    long nanos;
    long wireBytes;
    int largestCall;
    int largestWrite;

    BootstrapDriver(Path workspace, Map<String, String> files, int blockSize) throws IOException {
        this(workspace, files, blockSize, BootstrapArchiveCallable.TARGET_WIRE_BYTES);
    }

    BootstrapDriver(Path workspace, Map<String, String> files, int blockSize, int targetWireBytes) throws IOException {
        this.workspace = workspace;
        this.blockSize = blockSize;
        this.targetWireBytes = targetWireBytes;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        try (out) {
            for (Map.Entry<String, String> file : new TreeMap<>(files).entrySet()) {
                out.writeUTF(file.getKey());
                out.writeUTF(file.getValue().equals(file.getKey()) ? "" : file.getValue());
            }
        }
        names = bytes.toByteArray();
    }

    boolean isAll() {
        return namesOffset == names.length;
    }

    /** Returns the files that the calls have not sent. */
    Map<String, String> remaining(Map<String, String> files) throws IOException {
        Map<String, String> left = new TreeMap<>(files);
        DataInputStream sent = new DataInputStream(new ByteArrayInputStream(names, 0, namesOffset));
        while (sent.available() > 0) {
            left.remove(sent.readUTF());
            sent.readUTF();
        }
        return left;
    }

    /** Makes a call and returns its frames; null if no call is needed, or if the engine must go on. */
    byte[] next() throws IOException {
        if (needsEngine || calls > 0 && isAll()) {
            return null;
        }
        calls++;
        ByteArrayOutputStream lane = new ByteArrayOutputStream() {
            @Override
            public void write(byte[] bytes, int offset, int length) {
                largestWrite = Math.max(largestWrite, length);
                super.write(bytes, offset, length);
            }
        };
        boolean all = new BootstrapArchiveCallable(new byte[0], namesOffset, blocks, blockSize, targetWireBytes, null)
                .send(workspace.toFile(), names, lane);
        int length = lane.size() - BootstrapArchiveCallable.RESULT_LENGTH;
        ByteBuffer head = ByteBuffer.wrap(lane.toByteArray(), length, BootstrapArchiveCallable.RESULT_LENGTH);
        namesOffset = head.getInt();
        needsEngine = head.get() != 0;
        entries += head.getInt();
        contentBytes += head.getLong();
        nanos += head.getLong();
        assertEquals(length, head.getLong());
        assertEquals(isAll(), all);
        largestCall = Math.max(largestCall, length);
        wireBytes += length;
        byte[] sent = Arrays.copyOf(lane.toByteArray(), length);
        blocks += CapturedTransfer.frames(sent).size();
        return sent;
    }
}
