package io.jenkins.plugins.compressionaware.engine.packed;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileFooter;
import io.jenkins.plugins.compressionaware.engine.framefile.LocalFile;
import io.jenkins.plugins.compressionaware.engine.receive.Receiver;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.staging.StagingJournal;
import io.jenkins.plugins.compressionaware.engine.tar.TarEntry;
import io.jenkins.plugins.compressionaware.engine.tar.TarHeader;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Frame;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.Predicate;

/** Creates packed archives as a transfer does. */
public final class Packed {
    static final int BLOCK = 64 * 1024;

    private static final Executor THREADS = task -> new Thread(task).start();

    private Packed() {}

    /** Returns the wanted entries of a packed archive, by position. */
    static List<TarEntry> entries(PackedFile packed, Predicate<TarEntry> wanted) throws IOException {
        List<TarEntry> entries = new ArrayList<>();
        packed.visit("", entry -> {
            if (wanted.test(entry)) {
                entries.add(entry);
            }
            return "";
        });
        entries.sort(Comparator.comparingLong(TarEntry::position));
        return entries;
    }

    /** Packs all files of a tree into the next packed archive of a build. */
    public static void archive(Path tree, Path archive) throws IOException, InterruptedException {
        archive(tree, FileTrees.names(tree), archive, Codec.ZSTD);
    }

    public static void archive(Path tree, Map<String, String> files, Path archive, Codec codec)
            throws IOException, InterruptedException {
        SendOptions options = new SendOptions(codec, codec.defaultLevel(), BLOCK, 1);
        deliver(CapturedTransfer.stream(tree, files, options), archive, files.keySet());
    }

    /** Packs files of one size, with an index that has them in the reverse order. */
    public static void forged(Path tree, Path archive) throws IOException, InterruptedException {
        SortedMap<String, String> reversed = new TreeMap<>(Comparator.reverseOrder());
        reversed.putAll(FileTrees.names(tree));
        Path other = archive.resolveSibling("reversed");
        archive(tree, FileTrees.names(tree), archive, Codec.NONE);
        archive(tree, reversed, other, Codec.NONE);
        Path file = archive.resolve("packed-artifacts/1.tar.zst");
        try (LocalFile honest = new LocalFile(file)) {
            int end = (int) FrameFileFooter.of(honest).framesEnd();
            byte[] frames = honest.read(0, end);
            byte[] index = Files.readAllBytes(other.resolve("packed-artifacts/1.tar.zst"));
            Files.write(file, CapturedTransfer.join(List.of(frames, Arrays.copyOfRange(index, end, index.length))));
        }
        FileTrees.delete(other);
    }

    /** Packs empty files, without creating them: {@code folder0/file0} to {@code folder0/file999}, and so on. */
    public static void emptyFiles(int count, Path archive) throws IOException, InterruptedException {
        PosixFileAttributes attributes = Files.readAttributes(archive.getParent(), PosixFileAttributes.class);
        Set<String> names = new HashSet<>();
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        int blocks = 0;
        for (int i = 0; i < count; i++) {
            String name = "folder" + i / 1000 + "/file" + i;
            names.add(name);
            block.writeBytes(TarHeader.of(name, 0, attributes));
            if (block.size() > BLOCK / 2) {
                stream.writeBytes(Frame.block(Codec.ZSTD, blocks++, block.toByteArray()));
                block.reset();
            }
        }
        block.writeBytes(new byte[TarHeader.TRAILER_LENGTH]);
        stream.writeBytes(Frame.block(Codec.ZSTD, blocks++, block.toByteArray()));
        stream.writeBytes(Frame.end(Codec.ZSTD, blocks));
        deliver(stream.toByteArray(), archive, names);
    }

    /** Replays a stream to a receiver. */
    static void deliver(byte[] stream, Path archive, Set<String> names) throws IOException, InterruptedException {
        StagingJournal journal = new StagingJournal(archive.resolveSibling("journal"), archive.getParent());
        try (Receiver receiver = new Receiver(BLOCK, THREADS, () -> new PackedWriter(archive, journal, names, BLOCK))) {
            try (OutputStream lane = receiver.inbox().newLane()) {
                receiver.start();
                lane.write(stream);
            }
            receiver.awaitEnd(() -> {
                throw new IOException(CapturedTransfer.NO_END);
            });
            receiver.commit();
        }
    }
}
