package io.jenkins.plugins.compressionaware.engine.packed;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.CorruptFrameException;
import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameTally;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import io.jenkins.plugins.compressionaware.engine.staging.PartialPath;
import io.jenkins.plugins.compressionaware.engine.staging.StagingJournal;
import io.jenkins.plugins.compressionaware.engine.tar.EntryRejectedException;
import io.jenkins.plugins.compressionaware.engine.tar.TarEntry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The last bytes of an object in a store: index, footer and seek table. The controller makes them from an agent's {@link PackedListing}, so that no agent
 * writes an index. Not thread-safe.
 */
@Restricted(NoExternalUse.class)
public final class PackedEnd {
    private final FrameTally frames = new FrameTally();

    @CheckForNull
    private final PackedContents contents;

    private final byte[] bytes;

    /**
     * @param listing   is not trusted
     * @param requested names of the files to accept; null for a stash, which has no index
     * @param blockSize length of the largest possible block, bytes
     * @param objects   returns the file for a link to an object of its own, and any other entry itself
     * @throws IOException if the listing is damaged, or lists anything that was not requested
     */
    public PackedEnd(
            byte[] listing, @CheckForNull Collection<String> requested, int blockSize, UnaryOperator<TarEntry> objects)
            throws IOException {
        contents = requested == null ? null : new PackedContents(requested);
        try {
            PageReader in = new PageReader(listing);
            long count = in.number(Integer.MAX_VALUE);
            for (long i = 0; i < count; i++) {
                addFrame(in, i, blockSize);
            }
            addEntries(in, objects);
        } catch (CorruptFrameException e) {
            throw new IOException("The agent sent a damaged list of files: " + e.getMessage(), e);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        if (contents == null) {
            out.writeBytes(frames.footer(blockSize));
        } else {
            contents.check();
            byte[] index = contents.index();
            out.writeBytes(index);
            out.writeBytes(frames.footer(blockSize));
            out.writeBytes(contents.seekTable(index.length));
        }
        bytes = out.toByteArray();
    }

    private void addFrame(PageReader in, long sequence, int blockSize) throws IOException {
        Codec codec = Codec.ofId((byte) in.number(Byte.MAX_VALUE));
        Checksum checksum = Checksum.ofId((byte) in.number(Byte.MAX_VALUE));
        int rawLength = (int) in.number(blockSize);
        int bodyLength = (int) in.number(Integer.MAX_VALUE);
        FrameHeader header = new FrameHeader(codec, sequence, rawLength, bodyLength, checksum, 0);
        header.checkLimits(blockSize);
        int length = codec.envelope().prefixLength() + bodyLength;
        frames.add(header, length);
        if (contents != null) {
            contents.add(header, length);
        }
    }

    private void addEntries(PageReader in, UnaryOperator<TarEntry> objects) throws IOException {
        long count = in.number(contents == null ? 0 : contents.size());
        IndexEntry entry = new IndexEntry();
        for (long i = 0; i < count; i++) {
            entry.read(in, frames.rawBytes());
            TarEntry found = entry.get(in);
            try {
                if (found.type() == TarEntry.OBJECT) {
                    throw new EntryRejectedException("only the controller knows objects");
                }
                contents.add(objects.apply(found));
            } catch (EntryRejectedException e) {
                throw new EntryRejectedException("Refused " + found.name() + ": " + e.getMessage());
            }
        }
        PageReader.check(in.atEnd());
    }

    public byte[] bytes() {
        return bytes.clone();
    }

    /** Returns the length of the tar, bytes. */
    public long rawBytes() {
        return frames.rawBytes();
    }

    /** Returns the length of the object, bytes. */
    public long length() {
        return frames.wireBytes() + bytes.length;
    }

    /**
     * Adds the object to the artifacts of a build, like a packed archive that is on the disk.
     *
     * @param archive folder of the build's artifacts; need not exist
     * @param journal records the temporary file
     */
    public void commit(Path archive, StagingJournal journal, StoredRecord record)
            throws IOException, InterruptedException {
        PackedCommit commit = new PackedCommit(archive);
        Path partial =
                PartialPath.create(Objects.requireNonNull(commit.sibling().getParent()));
        try (StagingJournal.Entry entry = journal.open(partial)) {
            record.write(partial, bytes);
            commit.run(
                    name -> PartialPath.publish(partial, name),
                    Objects.requireNonNull(contents).entries());
        } finally {
            PartialPath.discard(partial);
        }
    }
}
