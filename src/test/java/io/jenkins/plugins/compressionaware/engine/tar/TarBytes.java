package io.jenkins.plugins.compressionaware.engine.tar;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/** Builds valid and invalid tars. */
final class TarBytes {
    private static final int RECORD = 512;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    TarBytes file(String name, String content) {
        return entry(new TarArchiveEntry(name, true), content);
    }

    TarBytes folder(String name) {
        return entry(new TarArchiveEntry(name + "/", true), "");
    }

    TarBytes link(String name, String target) {
        return special(TarConstants.LF_SYMLINK, name, target);
    }

    TarBytes special(byte kind, String name, String target) {
        TarArchiveEntry entry = new TarArchiveEntry(name, kind, true);
        entry.setLinkName(target);
        return entry(entry, "");
    }

    TarBytes entry(TarArchiveEntry entry, String content) {
        byte[] data = content.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream one = new ByteArrayOutputStream();
        try (TarArchiveOutputStream tar = new TarArchiveOutputStream(one, RECORD, "UTF-8")) {
            tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_GNU);
            tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_STAR);
            entry.setSize(data.length);
            tar.putArchiveEntry(entry);
            tar.write(data);
            tar.closeArchiveEntry();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        // without the two empty records at the end
        return raw(Arrays.copyOf(one.toByteArray(), one.size() - 2 * RECORD));
    }

    /** Adds a header with a valid checksum and these twelve bytes as the size field. */
    TarBytes header(char kind, String name, String sizeField) {
        byte[] header = new byte[RECORD];
        put(header, 0, name);
        put(header, 100, "0000644\0");
        put(header, 108, "0000000\0");
        put(header, 116, "0000000\0");
        put(header, 124, sizeField);
        put(header, 136, "00000000000\0");
        header[156] = (byte) kind;
        put(header, 257, "ustar\00000");
        return raw(withChecksum(header));
    }

    /** Adds a header with a size in octal digits. */
    TarBytes header(char kind, String name, long size) {
        return header(kind, name, String.format("%011o", size));
    }

    /** Adds an extended header with its content. */
    TarBytes extended(char kind, String content) {
        byte[] data = content.getBytes(StandardCharsets.UTF_8);
        header(kind, "extended", data.length);
        return raw(Arrays.copyOf(data, (data.length + RECORD - 1) / RECORD * RECORD));
    }

    /** Returns a line of a PAX header: its own length, key and value. */
    static String pax(String key, String value) {
        int rest = (" " + key + "=" + value + "\n").getBytes(StandardCharsets.UTF_8).length;
        int length = rest + 1;
        while (length != rest + String.valueOf(length).length()) {
            length++;
        }
        return length + " " + key + "=" + value + "\n";
    }

    TarBytes raw(byte[] more) {
        bytes.writeBytes(more);
        return this;
    }

    /** Adds the two empty records that end a tar. */
    TarBytes end() {
        return raw(new byte[2 * RECORD]);
    }

    byte[] bytes() {
        return bytes.toByteArray();
    }

    static byte[] withChecksum(byte[] header) {
        put(header, 148, "        ");
        int sum = 0;
        for (int i = 0; i < RECORD; i++) {
            sum += header[i] & 0xff;
        }
        put(header, 148, String.format("%06o\0 ", sum));
        return header;
    }

    /** Corrects the checksums of all records that may be headers. */
    static void fixChecksums(byte[] tar) {
        for (int record = 0; record + RECORD <= tar.length; record += RECORD) {
            if (tar[record + 257] == 'u') {
                byte[] header = withChecksum(Arrays.copyOfRange(tar, record, record + RECORD));
                System.arraycopy(header, 0, tar, record, RECORD);
            }
        }
    }

    private static void put(byte[] header, int offset, String value) {
        byte[] data = value.getBytes(StandardCharsets.ISO_8859_1);
        System.arraycopy(data, 0, header, offset, data.length);
    }
}
