import java.io.*;
import java.nio.*;
import java.util.*;
import java.util.zip.CRC32C;

public class ListFrames {
    public static List<String> list(InputStream stream) throws IOException {
        String[] codecs = {"none", "gzip", "lz4", "zstd"};
        DataInputStream in = new DataInputStream(stream);
        List<String> frames = new ArrayList<>();
        boolean last = false;
        while (!last) {
            boolean gzip = in.readUnsignedByte() == 0x1F;
            in.skipNBytes(gzip ? 15 : 7);
            byte[] bytes = in.readNBytes(32);
            ByteBuffer header = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
            CRC32C crc = new CRC32C();
            crc.update(bytes, 0, 28);
            if ((int) crc.getValue() != header.getInt(28)) {
                throw new IOException("Damaged header");
            }
            last = header.getInt(12) == 0;
            frames.add("%s block %d, %d bytes%s".formatted(
                    codecs[header.get(1)], header.getLong(4), header.getInt(12), last ? ", end" : ""));
            in.skipNBytes(header.getInt(16)); // the body, which zstd, lz4 or gzip decodes
        }
        return frames;
    }
}
