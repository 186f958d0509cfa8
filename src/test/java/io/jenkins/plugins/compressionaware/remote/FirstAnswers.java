package io.jenkins.plugins.compressionaware.remote;

import io.jenkins.plugins.compressionaware.receive.Opening;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.DeflaterOutputStream;

/** Asks for the first files of a folder until there is nothing left, or the rest is for the engine. */
final class FirstAnswers implements Opening {
    private final Path workspace;
    private final byte[] names;
    private final int length;
    private final int blockSize;
    private final int enough;
    int calls;
    int done;
    boolean others;
    int blocks;
    int entries;
    long contentBytes;
    long nanos;
    long wireBytes;
    int longest;

    FirstAnswers(Path workspace, Map<String, String> files, int blockSize) throws IOException {
        this(workspace, files, blockSize, FirstFiles.ENOUGH);
    }

    FirstAnswers(Path workspace, Map<String, String> files, int blockSize, int enough) throws IOException {
        this.workspace = workspace;
        this.blockSize = blockSize;
        this.enough = enough;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(new DeflaterOutputStream(bytes));
        try (out) {
            for (Map.Entry<String, String> file : new TreeMap<>(files).entrySet()) {
                out.writeUTF(file.getKey());
                out.writeUTF(file.getValue().equals(file.getKey()) ? "" : file.getValue());
            }
        }
        names = bytes.toByteArray();
        length = out.size();
    }

    boolean isAll() {
        return done == length;
    }

    byte[] answer() throws IOException {
        return new FirstFiles(names, done, blocks, blockSize, enough).invoke(workspace.toFile(), null);
    }

    @Override
    public byte[] next() throws IOException {
        if (others || calls > 0 && isAll()) {
            return null;
        }
        calls++;
        byte[] answer = answer();
        longest = Math.max(longest, answer.length);
        ByteBuffer head = ByteBuffer.wrap(answer);
        done = head.getInt();
        others = head.get() != 0;
        blocks = head.getInt();
        entries += head.getInt();
        contentBytes += head.getLong();
        nanos += head.getLong();
        wireBytes += answer.length - FirstFiles.HEAD;
        return Arrays.copyOfRange(answer, FirstFiles.HEAD, answer.length);
    }
}
