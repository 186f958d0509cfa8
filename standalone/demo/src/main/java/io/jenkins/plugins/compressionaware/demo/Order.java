package io.jenkins.plugins.compressionaware.demo;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What the controller wants from the agent, and all it tells it. */
record Order(Path folder, List<String> names, Way way) {
    void write(DataOutputStream out) throws IOException {
        out.writeUTF(way.id());
        out.writeUTF(folder.toString());
        out.writeInt(names.size());
        for (String name : names) {
            out.writeUTF(name);
        }
        out.flush();
    }

    /** The next order, or nothing when the controller has closed the connection. */
    static Optional<Order> read(DataInputStream in) throws IOException {
        Way way;
        try {
            way = Way.ofId(in.readUTF());
        } catch (EOFException e) {
            return Optional.empty();
        }
        Path folder = Path.of(in.readUTF());
        int count = in.readInt();
        List<String> names = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            names.add(in.readUTF());
        }
        return Optional.of(new Order(folder, names, way));
    }
}
