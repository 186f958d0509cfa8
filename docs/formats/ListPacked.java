import java.io.*;
import java.nio.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import org.apache.commons.compress.compressors.zstandard.ZstdCompressorInputStream;

public class ListPacked {
    public static List<String> list(byte[] file) throws IOException {
        ByteBuffer in = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        int table = 8 + 8 * in.getInt(file.length - 9) + 9;
        int footer = file.length - table - 40;
        int index = (int) in.getLong(footer + 8) + 8;
        int trailer = footer - 8 - 8;
        int rootLength = in.getInt(trailer);
        ByteBuffer root = page(file, trailer - rootLength, rootLength);
        long[] counts = {number(root), number(root), number(root), number(root), number(root)};
        byte[] separator = {};
        List<String> entries = new ArrayList<>();
        for (int i = 0; i < counts[3]; i++) {
            separator = name(root, separator);
            int length = (int) number(root);
            list(page(file, index, length), entries);
            index += length;
        }
        return entries;
    }

    private static void list(ByteBuffer page, List<String> entries) {
        byte[] name = {};
        long seconds = 0;
        long position = 0;
        while (page.hasRemaining()) {
            name = name(page, name);
            long type = number(page);
            seconds += signed(page);
            position += signed(page);
            long size = type % 4 == 0 || type % 4 == 3 ? number(page) : 0;
            byte[] target = new byte[type % 2 == 1 ? (int) number(page) : 0];
            page.get(target);
            String path = new String(name, StandardCharsets.UTF_8);
            entries.add("%s at %d, %s".formatted(path, position, switch ((int) type % 4) {
                case 0 -> size + " bytes";
                case 1 -> "link to " + new String(target, StandardCharsets.UTF_8);
                case 3 -> size + " bytes in " + new String(target, StandardCharsets.UTF_8);
                default -> "folder";
            }));
            position += 512 + (type % 4 == 0 ? (size + 511) / 512 * 512 : 0);
        }
    }

    private static ByteBuffer page(byte[] file, int from, int length) throws IOException {
        InputStream body = new ByteArrayInputStream(file, from + 40, length - 40);
        return ByteBuffer.wrap(new ZstdCompressorInputStream(body).readAllBytes());
    }

    private static byte[] name(ByteBuffer page, byte[] before) {
        int shared = (int) number(page);
        int length = (int) number(page);
        byte[] name = Arrays.copyOf(before, shared + length);
        page.get(name, shared, length);
        return name;
    }

    private static long signed(ByteBuffer page) {
        long number = number(page);
        return number >>> 1 ^ -(number & 1);
    }

    private static long number(ByteBuffer page) {
        long number = 0;
        for (int shift = 0; ; shift += 7) {
            byte next = page.get();
            number |= (next & 0x7FL) << shift;
            if (next >= 0) {
                return number;
            }
        }
    }
}
