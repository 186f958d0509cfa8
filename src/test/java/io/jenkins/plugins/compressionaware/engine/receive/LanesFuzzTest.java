package io.jenkins.plugins.compressionaware.engine.receive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.BlockDecoder;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.FrameCodec;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Frame;
import io.jenkins.plugins.compressionaware.testing.Fuzz;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Frames of an honest sender in pieces, twice, damaged, in any order, over three lanes and in requests: what comes out is what was sent, up to some block. All of
 * it, if all has come whole in requests.
 */
class LanesFuzzTest extends Fuzz {
    private static final int BLOCK = 300;
    private static final int BLOCKS = 7;
    private static final int REQUEST = 3;

    private final byte[] sent = FileTrees.noise(BLOCK * BLOCKS);
    private final List<byte[]> frames = new ArrayList<>();

    @Override
    protected void prepare() {
        for (int i = 0; i < BLOCKS; i++) {
            Codec codec = Codec.values()[i % 4];
            frames.add(Frame.block(codec, i, Arrays.copyOfRange(sent, i * BLOCK, (i + 1) * BLOCK)));
        }
        frames.add(Frame.end(Codec.NONE, BLOCKS));
    }

    /** First 1 if requests may come; then for each write four bytes: lane, frame, from where, what is wrong. */
    @Override
    protected List<byte[]> seeds() {
        byte[] inOrder = new byte[1 + 4 * frames.size()];
        byte[] backwards = new byte[1 + 4 * frames.size()];
        backwards[0] = 1;
        for (int i = 0; i < frames.size(); i++) {
            inOrder[1 + 4 * i] = (byte) (i % 3);
            inOrder[2 + 4 * i] = (byte) i;
            backwards[1 + 4 * i] = REQUEST;
            backwards[2 + 4 * i] = (byte) (frames.size() - 1 - i);
        }
        byte[] inPieces = {0, 0, 0, 0, 50, 0, 0, 50, 0, 1, 1, 0, 0, 0, 2, 0, 0};
        return List.of(inOrder, backwards, inPieces);
    }

    @Override
    protected void read(byte[] input) throws Exception {
        ByteBuffer writes = ByteBuffer.wrap(input);
        FrameReorderBuffer queue = new FrameReorderBuffer(Credit.WINDOW);
        DirectReceiver requests = null;
        if (writes.hasRemaining() && writes.get() == 1) {
            queue.allowDuplicates();
            requests = new DirectReceiver(queue, BLOCK);
        }
        LaneReceiver[] lanes = {
            new LaneReceiver(queue, BLOCK), new LaneReceiver(queue, BLOCK), new LaneReceiver(queue, BLOCK)
        };
        BitSet whole = new BitSet();
        boolean honest = requests != null;
        while (writes.remaining() >= 4) {
            int lane = writes.get() & 3;
            int number = (writes.get() & 0xff) % frames.size();
            byte[] frame = frames.get(number);
            byte[] bytes = damaged(frame, (writes.get() & 0xff) % frame.length, writes.get() & 0xff);
            honest &= lane == REQUEST && Arrays.equals(bytes, frame);
            whole.set(number);
            try {
                if (lane != REQUEST) {
                    lanes[lane].write(bytes);
                } else if (requests != null) {
                    requests.take(new ByteArrayInputStream(bytes), bytes.length);
                }
            } catch (IOException e) {
                // who sends more all the same does no harm
            }
        }
        int blocks = blocks(queue);
        assertFalse(honest && blocks < Math.min(whole.nextClearBit(0), BLOCKS), "only " + blocks + " came out");
    }

    /** 0: as it is; up to 63: so many bytes; up to 127: all but so many; beyond: with another bit. */
    private static byte[] damaged(byte[] frame, int from, int wrong) {
        if (wrong < 128) {
            int length = wrong == 0 ? frame.length : wrong < 64 ? wrong : frame.length - (wrong - 64);
            return Arrays.copyOfRange(frame, from, Math.min(frame.length, from + Math.max(0, length)));
        }
        byte[] flipped = frame.clone();
        flipped[from] ^= (byte) (1 << wrong % 8);
        return flipped;
    }

    /** How many come out. */
    private int blocks(FrameReorderBuffer queue) {
        int blocks = 0;
        try {
            for (ReceivedFrame frame = queue.poll(); frame != null; frame = queue.poll()) {
                assertEquals(blocks == BLOCKS, frame.header().isEndFrame());
                byte[] raw = new byte[BLOCK];
                try (BlockDecoder decoder = frame.header().codec().newDecoder()) {
                    FrameCodec.decode(frame.header(), decoder, frame.bytes(), raw);
                }
                if (!frame.header().isEndFrame()) {
                    int from = blocks++ * BLOCK;
                    assertTrue(Arrays.equals(
                            sent, from, from + BLOCK, raw, 0, frame.header().rawLength()));
                }
            }
        } catch (IOException e) {
            assertFalse(e.getMessage().isBlank());
        }
        return blocks;
    }
}
