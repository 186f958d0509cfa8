package io.jenkins.plugins.compressionaware.testing;

import io.jenkins.plugins.compressionaware.engine.tar.EntryEncoder;
import io.jenkins.plugins.compressionaware.engine.tar.TarPacker;
import io.jenkins.plugins.compressionaware.engine.tar.TarSink;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Records the bytes of a tar, and the name and size of each announced entry. */
public class RecordedTar extends TarSink {
    public final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    public final List<String> announced = new ArrayList<>();

    @Override
    public void startEntry(String name, long size) throws IOException {
        announced.add(name + " " + size);
    }

    @Override
    public void write(byte[] source, int offset, int length) {
        bytes.write(source, offset, length);
    }

    /** Packs files in one thread. */
    public static byte[] of(Path base, Map<String, String> files, EntryEncoder encoder) throws IOException {
        RecordedTar sink = new RecordedTar();
        try (TarPacker packer = new TarPacker(sink, RefusingExecutor::refuse, encoder)) {
            packer.pack(base, files);
        }
        return sink.bytes.toByteArray();
    }
}
