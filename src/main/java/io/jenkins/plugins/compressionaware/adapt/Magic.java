package io.jenkins.plugins.compressionaware.adapt;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** Knows formats that are compressed by their first bytes. A hint only: a zip or jar may hold its entries stored. */
final class Magic {
    /** Where a file's content begins in a block that opens with its tar header. */
    private static final int TAR_HEADER = 512;

    /** Offset of "ustar" in a tar header. */
    private static final int TAR_MAGIC = 257;

    private static final byte[] USTAR = "ustar".getBytes(StandardCharsets.US_ASCII);

    private static final List<Pattern> COMPRESSED = List.of(
            bytes(0, 'P', 'K', 3, 4), // zip, jar, docx, apk
            bytes(0, 0x1f, 0x8b), // gzip
            bytes(0, 0x28, 0xb5, 0x2f, 0xfd), // zstd
            bytes(0, 0xfd, '7', 'z', 'X', 'Z', 0), // xz
            bytes(0, 'B', 'Z', 'h'), // bzip2
            bytes(0, '7', 'z', 0xbc, 0xaf, 0x27, 0x1c), // 7z
            bytes(0, 'R', 'a', 'r', '!'), // rar
            bytes(0, 0x04, 0x22, 0x4d, 0x18), // lz4
            bytes(0, 0x89, 'P', 'N', 'G'), // png
            bytes(0, 0xff, 0xd8, 0xff), // jpeg
            bytes(0, 'G', 'I', 'F', '8'), // gif
            bytes(8, 'W', 'E', 'B', 'P'), // webp
            bytes(4, 'f', 't', 'y', 'p'), // mp4, heic
            bytes(0, 0x1a, 0x45, 0xdf, 0xa3), // webm, mkv
            bytes(0, 'O', 'g', 'g', 'S'), // ogg
            bytes(0, 'I', 'D', '3'), // mp3
            bytes(0, 'f', 'L', 'a', 'C'), // flac
            bytes(0, 'w', 'O', 'F', '2'), // woff2
            bytes(0, 0xed, 0xab, 0xee, 0xdb)); // rpm

    private Magic() {}

    private record Pattern(int offset, byte[] bytes) {
        boolean at(byte[] block, int start, int length) {
            int from = start + offset;
            if (from + bytes.length > length) {
                return false;
            }
            for (int i = 0; i < bytes.length; i++) {
                if (block[from + i] != bytes[i]) {
                    return false;
                }
            }
            return true;
        }
    }

    private static Pattern bytes(int offset, int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return new Pattern(offset, bytes);
    }

    /** Whether the block begins with a file of a compressed format, behind its tar header or without one. */
    static boolean compressed(byte[] block, int length) {
        boolean tar = new Pattern(TAR_MAGIC, USTAR).at(block, 0, length);
        int start = tar ? TAR_HEADER : 0;
        for (Pattern pattern : COMPRESSED) {
            if (pattern.at(block, start, length)) {
                return true;
            }
        }
        return false;
    }
}
