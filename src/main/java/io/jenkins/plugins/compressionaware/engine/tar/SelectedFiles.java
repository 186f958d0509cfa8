package io.jenkins.plugins.compressionaware.engine.tar;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The files to unpack of a tar that is stored in frames, the frames that have them, and their places in the blocks of these frames.
 *
 * @param frames   for each object of a single file, and then for each run of consecutive frames: its position in the file, its length in bytes, and the
 *     number of its first frame. The objects are in the file after the frames.
 * @param sections for each section of the tar with selected files only: how many bytes of the blocks to skip, and how many follow
 * @param objects  the objects of single files
 * @param deflated names of the files, see {@link #deflated(Collection)}; null for all files, which need all frames and no sections
 */
@Restricted(NoExternalUse.class)
public record SelectedFiles(
        long[] frames,
        long[] sections,
        List<OwnObject> objects,
        @CheckForNull byte[] deflated) implements Serializable {
    private static final int FIELDS = 3;

    /** An object of a single file, and the header of the file's entry. */
    public record OwnObject(String key, byte[] header) implements Serializable {}

    /** @param length of all frames, bytes */
    public static SelectedFiles all(long length) {
        return new SelectedFiles(new long[] {0, length, 0}, new long[0], List.of(), null);
    }

    /** Deflates names, which makes them a tenth as long in memory and on the network. */
    public static byte[] deflated(Collection<String> names) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(new DeflaterOutputStream(bytes))) {
            out.writeInt(names.size());
            for (String name : names) {
                out.writeUTF(name);
            }
        }
        return bytes.toByteArray();
    }

    /** Returns the names of the files; null for all files. */
    @CheckForNull
    public Set<String> names() throws IOException {
        if (deflated == null) {
            return null;
        }
        Set<String> names = new HashSet<>();
        try (DataInputStream in = new DataInputStream(new InflaterInputStream(new ByteArrayInputStream(deflated)))) {
            for (int left = in.readInt(); left > 0; left--) {
                names.add(in.readUTF());
            }
        }
        return names;
    }

    /** Returns the number of objects and runs. */
    public int runs() {
        return frames.length / FIELDS;
    }

    /** Returns the length of an object or a run, bytes. */
    public long length(int run) {
        return frames[FIELDS * run + 1];
    }

    /** Returns the number of the first frame of a run. */
    public long firstNumber(int run) {
        return frames[FIELDS * run + 2];
    }

    /** Returns the length of all objects and runs, bytes. */
    public long wireBytes() {
        return length(0, runs());
    }

    private long length(int from, int to) {
        return IntStream.range(from, to).mapToLong(this::length).sum();
    }

    /** Returns the length of the objects with their headers, and of the blocks up to the last section, bytes. */
    public long rawBytes() {
        long headers =
                objects.stream().mapToLong(object -> object.header.length).sum();
        return headers + length(0, objects.size()) + LongStream.of(sections).sum();
    }

    /** Opens a range of the objects and runs, as if they were one file. The function opens one of the archive by its position and length, and must not wait. */
    public InputStream open(BiFunction<Long, Long, InputStream> file, long from, long count) {
        List<InputStream> opened = new ArrayList<>();
        long start = 0;
        for (int run = 0; run < runs() && start < from + count; run++) {
            long first = Math.max(from, start);
            long end = start + length(run);
            long n = Math.min(from + count, end) - first;
            if (n > 0) {
                opened.add(file.apply(frames[FIELDS * run] + first - start, n));
            }
            start = end;
        }
        return new SequenceInputStream(Collections.enumeration(opened));
    }

    /**
     * Returns a tar with the selected files only.
     *
     * @param contents of all objects
     * @param blocks   the blocks of all runs
     */
    public InputStream tar(InputStream contents, InputStream blocks) {
        if (deflated == null) {
            return blocks;
        }
        List<InputStream> tar = new ArrayList<>();
        for (int i = 0; i < objects.size(); i++) {
            tar.add(new ByteArrayInputStream(objects.get(i).header));
            tar.add(new Sections(contents, new long[] {0, length(i)}));
            tar.add(new ByteArrayInputStream(TarHeader.padding(length(i))));
        }
        tar.add(new Sections(blocks, sections));
        tar.add(new ByteArrayInputStream(new byte[TarHeader.TRAILER_LENGTH]));
        return new SequenceInputStream(Collections.enumeration(tar));
    }

    private static final class Sections extends ChunkedInputStream {
        private final InputStream blocks;
        private final long[] sections;
        private int next;
        private long left;

        Sections(InputStream blocks, long[] sections) {
            this.blocks = blocks;
            this.sections = sections;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            while (left == 0 && next < sections.length) {
                blocks.skipNBytes(sections[next]);
                left = sections[next + 1];
                next += 2;
            }
            if (left == 0) {
                return -1;
            }
            int n = blocks.read(target, offset, (int) Math.min(length, left));
            if (n < 0) {
                throw new EOFException("the frames end before the selected files");
            }
            left -= n;
            return n;
        }
    }
}
