package io.jenkins.plugins.compressionaware.engine.framefile;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.codec.CorruptFrameException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * A file in the place of a frame file whose frames are an object in a store: a skippable frame with the object's key, and a copy of the object's last bytes, so
 * that an index is read without the store. The frame has a seal, because builds may write files of the same names.
 *
 * @param store  description of the store, which the controller understands
 * @param key    of the object
 * @param length of the object, bytes
 * @param tag    of the object when it was stored
 * @param files  the objects of single files
 */
@Restricted(NoExternalUse.class)
public record StoredRecord(String store, String key, long length, String tag, List<StoredRecord> files) {
    private static final Logger LOGGER = Logger.getLogger(StoredRecord.class.getName());

    /** Differs from the magic numbers of all other frames of this plugin. */
    private static final int SKIPPABLE_MAGIC = 0x184D2A5B;

    private static final int PREAMBLE = 8;
    private static final int MAX_HEAD = 16 << 20;

    private static volatile Opener opener = (file, record) -> {
        throw new IOException("No store is available for " + file);
    };

    private static volatile UnaryOperator<String> sealer = content -> "";

    public StoredRecord(String store, String key, long length, String tag) {
        this(store, key, length, tag, List.of());
    }

    /** Opens objects. */
    @FunctionalInterface
    public interface Opener {
        /** @param file the file with the record */
        RangeReader open(Path file, StoredRecord record) throws IOException;
    }

    /**
     * Sets what opens objects in this JVM.
     *
     * @param newSealer returns the seal of a text, which nobody else can make
     */
    public static void setOpener(Opener newOpener, UnaryOperator<String> newSealer) {
        opener = newOpener;
        sealer = newSealer;
    }

    /** Opens a frame file, on this disk or in a store. */
    public static RangeReader open(Path file) throws IOException {
        LocalFile local = new LocalFile(file);
        try {
            int head = headLength(local);
            return head == 0 ? local : new StoredFile(file, local, read(local, head), PREAMBLE + head);
        } catch (IOException | RuntimeException e) {
            local.close();
            throw e;
        }
    }

    /** Returns the record in a file; null if the file is a frame file. */
    @CheckForNull
    public static StoredRecord of(Path file) throws IOException {
        try (LocalFile local = new LocalFile(file)) {
            int head = headLength(local);
            return head == 0 ? null : read(local, head);
        }
    }

    /** Returns the records among the files of a folder, which need not exist, and those of single files. Logs and skips damaged and forged ones. */
    public static List<StoredRecord> in(Path folder) throws IOException {
        List<StoredRecord> records = new ArrayList<>();
        if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
                for (Path file : files) {
                    try {
                        StoredRecord record = Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) ? of(file) : null;
                        if (record != null) {
                            records.add(record);
                            records.addAll(record.files());
                        }
                    } catch (CorruptFrameException e) { // it must not hide the others
                        LOGGER.log(Level.WARNING, "Skips {0}: {1}", new Object[] {file, e.getMessage()});
                    }
                }
            }
        }
        return records;
    }

    /** Returns the record of the object of a file. */
    public StoredRecord ofFile(String wanted) throws IOException {
        return files.stream()
                .filter(file -> file.key.equals(wanted))
                .findFirst()
                .orElseThrow(() -> new IOException("There is no record of the object " + wanted));
    }

    /** Opens the object. */
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
        if (length <= 0 || length > MAX_HEAD || length > file.length() - PREAMBLE) {
            throw new CorruptFrameException(file.name() + " is damaged");
        }
        return length;
    }

    private static StoredRecord read(LocalFile file, int length) throws IOException {
        DataInputStream head = new DataInputStream(new ByteArrayInputStream(file.read(PREAMBLE, length)));
        String seal;
        try {
            seal = head.readUTF();
        } catch (IOException e) {
            throw new CorruptFrameException(file.name() + " is damaged", e);
        }
        byte[] content = head.readAllBytes();
        if (!seal.equals(seal(content))) {
            throw new CorruptFrameException(file.name() + " is not a record of this controller");
        }
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(content));
        String store = in.readUTF();
        List<StoredRecord> files = new ArrayList<>();
        StoredRecord record = new StoredRecord(store, in.readUTF(), in.readLong(), in.readUTF(), files);
        while (in.available() > 0) {
            files.add(new StoredRecord(store, in.readUTF(), in.readLong(), in.readUTF()));
        }
        if (record.length < file.length() - PREAMBLE - length) {
            throw new CorruptFrameException(file.name() + " is damaged");
        }
        return record;
    }

    private static String seal(byte[] content) {
        return sealer.apply(new String(content, StandardCharsets.ISO_8859_1));
    }

    /** Returns whether bytes are the first ones of a record. */
    public static boolean isRecord(byte[] start) {
        return start.length >= Integer.BYTES
                && ByteBuffer.wrap(start).order(ByteOrder.LITTLE_ENDIAN).getInt(0) == SKIPPABLE_MAGIC;
    }

    /**
     * Writes the record to a new file.
     *
     * @param end last bytes of the object, after its frames
     */
    public void write(Path file, byte[] end) throws IOException {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(content);
        out.writeUTF(store);
        writeObject(out);
        for (StoredRecord each : files) {
            each.writeObject(out);
        }
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        new DataOutputStream(head).writeUTF(seal(content.toByteArray()));
        content.writeTo(head);
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
