package io.jenkins.plugins.compressionaware.engine.packed;

import io.jenkins.plugins.compressionaware.engine.tar.SelectedFiles;
import io.jenkins.plugins.compressionaware.engine.tar.TarEntry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/** Finds the frames that have sections of the tar in a packed archive. Not thread-safe. */
final class FrameRuns {
    /**
     * Maximum length of unneeded frames between two others of a run, bytes: at 200 Mbit/s, reading them takes 20 ms, as long as the round trip of another
     * request. This bounds the number of runs, and so that of requests.
     */
    static final int MAX_GAP = 512 * 1024;

    private final PackedIndex index;
    private final LongStream.Builder frames = LongStream.builder();
    private final LongStream.Builder sections = LongStream.builder();
    private final List<SelectedFiles.OwnObject> objects = new ArrayList<>();

    /** The first frame of the current run; null before the first run. */
    private PackedIndex.Place first;

    /** The last frame so far. */
    private PackedIndex.Place last;

    /** End of the last section, in the tar. */
    private long end;

    FrameRuns(PackedIndex index) {
        this.index = index;
    }

    /** Adds a file that is an object of its own, at its position in a file of all frames and then all objects. Must be called before {@link #add}. */
    void addObject(TarEntry entry, long position) {
        frames.add(position).add(entry.size()).add(0);
        objects.add(new SelectedFiles.OwnObject(entry.target(), entry.header()));
    }

    /** Adds a section of the tar. Sections must be added in the order of their positions. Fails if they overlap, because the index is forged. */
    void add(long from, long to) throws IOException {
        if (from == to) {
            return;
        }
        PageReader.check(from >= end);
        PackedIndex.Place start = first != null && from < rawEnd(last) ? last : index.place(from);
        long skipped = from - end;
        if (first == null || start.wireStart() - wireEnd(last) > MAX_GAP) {
            skipped = from - start.rawStart() + (first == null ? 0 : rawEnd(last) - end);
            endRun();
            first = start;
        }
        sections.add(skipped).add(to - from);
        last = to <= rawEnd(start) ? start : index.place(to - 1);
        end = to;
    }

    private static long rawEnd(PackedIndex.Place place) {
        return place.rawStart() + place.rawLength();
    }

    private static long wireEnd(PackedIndex.Place place) {
        return place.wireStart() + place.wireLength();
    }

    private void endRun() throws IOException {
        if (first != null) {
            PageReader.check(wireEnd(last) > first.wireStart());
            frames.add(first.wireStart()).add(wireEnd(last) - first.wireStart()).add(first.number());
        }
    }

    /** Returns the files in all sections and objects. Must be the last call. */
    SelectedFiles finish(List<String> names) throws IOException {
        PageReader.check(first != null || !objects.isEmpty());
        endRun();
        return new SelectedFiles(
                frames.build().toArray(), sections.build().toArray(), objects, SelectedFiles.deflated(names));
    }
}
