package io.jenkins.plugins.compressionaware.receive;

import io.jenkins.plugins.compressionaware.codec.CorruptFrameException;
import io.jenkins.plugins.compressionaware.codec.Envelope;
import io.jenkins.plugins.compressionaware.codec.FrameHeader;
import java.io.IOException;

/** The frames of a file that arrives in pieces. Used by one thread. */
final class PieceFrames implements FrameSupply {
    private final Pieces pieces;
    private final SenderWatch watch;
    private final int maxBlock;
    private final byte[] prefix = new byte[Envelope.GZIP_EXTRA_FIELD.prefixLength()];
    private byte[] piece;
    private int position;
    private long pieceNumber;
    private FrameHeader header;
    private byte[] frame;
    private int filled;

    /** Of a frame that has been consumed: most are as long as the next one. */
    private byte[] spare;

    private long sequence;
    private boolean over;
    private long wireBytes;
    private long rawBytes;
    private long waitingNanos;

    PieceFrames(Pieces pieces, SenderWatch watch, int maxBlock) {
        this.pieces = pieces;
        this.watch = watch;
        this.maxBlock = maxBlock;
    }

    @Override
    public ArrivedFrame poll() throws IOException {
        while (!over && (piece != null || begin(pieces.poll()))) {
            ArrivedFrame whole = parse();
            if (whole != null) {
                return whole;
            }
        }
        return null;
    }

    @Override
    public ArrivedFrame take() throws IOException, InterruptedException {
        for (ArrivedFrame whole = poll(); ; whole = poll()) {
            if (whole != null) {
                return whole;
            }
            long start = System.nanoTime();
            begin(pieces.take(watch));
            waitingNanos += System.nanoTime() - start;
        }
    }

    private boolean begin(byte[] next) {
        piece = next;
        position = 0;
        return next != null;
    }

    /** The frame that ends in the piece; null if the piece ends first. */
    private ArrivedFrame parse() throws IOException {
        ArrivedFrame whole = null;
        int length = pieces.length(pieceNumber);
        while (whole == null && position < length) {
            position += header == null ? takePrefix(length - position) : takeBody(length - position);
            if (header != null && filled == frame.length) {
                whole = new ArrivedFrame(header, frame);
                over = header.last();
                header = null;
                frame = null;
                filled = 0;
            }
        }
        if (position == length) {
            pieces.release(piece);
            piece = null;
            pieceNumber++;
        }
        return whole;
    }

    private int takePrefix(int left) throws IOException {
        Envelope envelope = Envelope.startingWith(filled == 0 ? piece[position] : prefix[0]);
        int n = Math.min(left, envelope.prefixLength() - filled);
        System.arraycopy(piece, position, prefix, filled, n);
        filled += n;
        if (filled == envelope.prefixLength()) {
            header = envelope.read(prefix);
            if (header.sequence() != sequence) {
                throw new CorruptFrameException("block " + header.sequence() + " in the place of block " + sequence);
            }
            sequence++;
            FrameLimits.check(header, maxBlock);
            frame = array(filled + header.bodyLength());
            System.arraycopy(prefix, 0, frame, 0, filled);
        }
        return n;
    }

    private byte[] array(int length) {
        byte[] used = spare;
        spare = null;
        return used != null && used.length == length ? used : new byte[length];
    }

    private int takeBody(int left) {
        int n = Math.min(left, frame.length - filled);
        System.arraycopy(piece, position, frame, filled, n);
        filled += n;
        return n;
    }

    @Override
    public void consumed(ArrivedFrame consumed) {
        spare = consumed.bytes();
        wireBytes += consumed.length();
        rawBytes += consumed.header().rawLength();
    }

    /** Bytes of the frames consumed so far. */
    long wireBytes() {
        return wireBytes;
    }

    /** Bytes of their blocks: those of the tar stream. */
    long rawBytes() {
        return rawBytes;
    }

    /** Time in which there was no piece to work on, nanoseconds. */
    long waitingNanos() {
        return waitingNanos;
    }
}
