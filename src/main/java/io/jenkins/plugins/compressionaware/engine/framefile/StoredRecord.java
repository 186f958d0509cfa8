package io.jenkins.plugins.compressionaware.engine.framefile;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * A file in the place of a frame file whose frames are an object in a store: a skippable frame with the object's key, and a copy of the object's last bytes, so
 * that an index is read without the store. It counts only while a list in its build's folder names the object, because an agent may archive such a file.
 *
 * @param store  description of the store, which the controller understands
 * @param key    of the object
 * @param length of the object, bytes
 * @param tag    of the object when it was stored
 * @param files  the objects of single files
 */
@Restricted(NoExternalUse.class)
public record StoredRecord(String store, String key, long length, String tag, List<StoredRecord> files) {
    /**
     * Folder of a build, in which no agent can create files. For each upload, it has a list of lines: the store, the key that a record has, and the keys of the
     * objects of single files. The build owns these objects.
     */
    public static final String LISTS = "stored-objects";

    private static final Pattern KEY = Pattern.compile("(?:.*/)?([0-9a-f-]{36})\\.tar\\.zst");

    private static final String PACKED = "packed-artifacts";

    /** Differs from the magic numbers of all other frames of this plugin. */
    private static final int SKIPPABLE_MAGIC = 0x184D2A5B;

    private static final int PREAMBLE = 8;
    private static final int MAX_HEAD = 16 << 20;

    private static volatile Opener opener = (file, record) -> {
        throw new IOException("No store is available for " + file);
    };

    @FunctionalInterface
    public interface Opener {
        /** @param file the file with the record */
        RangeReader open(Path file, StoredRecord record) throws IOException;
    }

    public static void setOpener(Opener newOpener) {
        opener = newOpener;
    }

    /** Opens a frame file, on this disk or in a store. */
    public static RangeReader open(Path file) throws IOException {
        LocalFile local = new LocalFile(file);
        try {
            int head = headLength(local);
            return head == 0 ? local : new StoredFile(file, local, listed(file, read(local, head)), PREAMBLE + head);
        } catch (IOException | RuntimeException e) {
            local.close();
            throw e;
        }
    }

    /** Returns the record in a file; null if the file is a frame file. */
    @CheckForNull
    public static StoredRecord of(Path file) throws IOException {
        try (RangeReader opened = open(file)) {
            return opened instanceof StoredFile stored ? stored.record() : null;
        }
    }

    /** Returns the path that the list of the objects of a file has, whether it exists or not; null if the file is a frame file. */
    @CheckForNull
    public static Path listOf(Path file) throws IOException {
        try (LocalFile local = new LocalFile(file)) {
            int head = headLength(local);
            return head == 0 ? null : list(file, read(local, head).key);
        }
    }

    /** Returns the record if the build of its file owns all of its objects. */
    private static StoredRecord listed(Path file, StoredRecord record) throws IOException {
        Set<String> lines;
        try {
            lines = new HashSet<>(Files.readAllLines(list(file, record.key)));
        } catch (NoSuchFileException e) {
            lines = Set.of();
        }
        if (!lines.contains(record.store)
                || !lines.contains(record.key)
                || !record.files.stream().map(StoredRecord::key).allMatch(lines::contains)) {
            throw new IOException(file + " refers to an object that is not of this build");
        }
        return record;
    }

    private static Path list(Path file, String key) throws IOException {
        Path folder = Objects.requireNonNull(file.toAbsolutePath().getParent());
        Path records = folder.endsWith(PACKED) ? folder.getParent() : folder;
        Matcher name = KEY.matcher(key);
        if (!name.matches()) {
            throw new IOException(file + " is damaged");
        }
        return records.resolveSibling(LISTS).resolve(name.group(1));
    }

    /** Returns the record of the object of a file. */
    public StoredRecord ofFile(String wanted) throws IOException {
        return files.stream()
                .filter(file -> file.key.equals(wanted))
                .findFirst()
                .orElseThrow(() -> new IOException("There is no record of the object " + wanted));
    }

    public RangeReader openObject(Path file) throws IOException {
        return opener.open(file, this);
    }

    /** Returns the length of a record; 0 if the file is none. */
    private static int headLength(LocalFile file) throws IOException {
        if (file.length() < PREAMBLE) {
            return 0;
        }
        ByteBuffer preamble = ByteBuffer.wrap(file.read(0, PREAMBLE)).order(ByteOrder.LITTLE_ENDIAN);
        int length = preamble.getInt(4);
        if (preamble.getInt(0) != SKIPPABLE_MAGIC) {
            return 0;
        }
        if (length <= 0 || length > MAX_HEAD) {
            throw new IOException(file.name() + " is damaged");
        }
        return length;
    }

    private static StoredRecord read(LocalFile file, int length) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(file.read(PREAMBLE, length)));
        String store = in.readUTF();
        List<StoredRecord> files = new ArrayList<>();
        StoredRecord record = new StoredRecord(store, in.readUTF(), in.readLong(), in.readUTF(), files);
        while (in.available() > 0) {
            files.add(new StoredRecord(store, in.readUTF(), in.readLong(), in.readUTF(), List.of()));
        }
        if (record.length < file.length() - PREAMBLE - length) {
            throw new IOException(file.name() + " is damaged");
        }
        return record;
    }

    /** Returns whether bytes are the first ones of a record. */
    public static boolean isRecord(byte[] start) {
        return start.length >= Integer.BYTES
                && ByteBuffer.wrap(start).order(ByteOrder.LITTLE_ENDIAN).getInt(0) == SKIPPABLE_MAGIC;
    }

    /** Writes the record to a new file, with the last bytes of the object, which follow its frames. */
    public void write(Path file, byte[] end) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(head);
        out.writeUTF(store);
        writeObject(out);
        for (StoredRecord each : files) {
            each.writeObject(out);
        }
        if (head.size() > MAX_HEAD) {
            throw new IOException("Too many files have objects of their own");
        }
        ByteBuffer whole = ByteBuffer.allocate(PREAMBLE + head.size() + end.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(SKIPPABLE_MAGIC)
                .putInt(head.size())
                .put(head.toByteArray())
                .put(end);
        Files.write(file, whole.array(), StandardOpenOption.CREATE_NEW);
    }

    private void writeObject(DataOutputStream out) throws IOException {
        out.writeUTF(key);
        out.writeLong(length);
        out.writeUTF(tag);
    }
}
