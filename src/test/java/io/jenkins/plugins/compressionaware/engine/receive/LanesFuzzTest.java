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

/** Writes split, repeated, damaged and reordered frames to three streams and a direct lane. Received blocks must be a prefix of the sent blocks. */
class LanesFuzzTest extends Fuzz {
    private static final int BLOCK = 300;
    private static final int BLOCKS = 7;
    private static final int DIRECT = 3;

    private final byte[] sent = FileTrees.noise(BLOCK * BLOCKS);
    private final List<byte[]> frames = new ArrayList<>();

    @Override
    protected void prepare() {
        for (int i = 0; i < BLOCKS; i++) {
            Codec codec = Codec.values()[i % Codec.values().length];
            frames.add(Frame.block(codec, i, Arrays.copyOfRange(sent, i * BLOCK, (i + 1) * BLOCK)));
        }
        frames.add(Frame.end(Codec.NONE, BLOCKS));
    }

    /** An input is 1 if direct lanes are allowed, then four bytes per write: lane, frame, offset, damage. */
    @Override
    protected List<byte[]> seeds() {
        byte[] inOrder = new byte[1 + 4 * frames.size()];
        byte[] backwards = new byte[1 + 4 * frames.size()];
        backwards[0] = 1;
        for (int i = 0; i < frames.size(); i++) {
            inOrder[1 + 4 * i] = (byte) (i % 3);
            inOrder[2 + 4 * i] = (byte) i;
            backwards[1 + 4 * i] = DIRECT;
            backwards[2 + 4 * i] = (byte) (frames.size() - 1 - i);
        }
        byte[] split = {0, 0, 0, 0, 50, 0, 0, 50, 0, 1, 1, 0, 0, 0, 2, 0, 0};
        return List.of(inOrder, backwards, split);
    }

    @Override
    protected void read(byte[] input) throws Exception {
        ByteBuffer writes = ByteBuffer.wrap(input);
        FrameReorderBuffer queue = new FrameReorderBuffer(Credit.WINDOW);
        DirectReceiver direct = null;
        if (writes.hasRemaining() && writes.get() == 1) {
            queue.allowDuplicates();
            direct = new DirectReceiver(queue, BLOCK);
        }
        LaneReceiver[] lanes = {
            new LaneReceiver(queue, BLOCK), new LaneReceiver(queue, BLOCK), new LaneReceiver(queue, BLOCK)
        };
        BitSet whole = new BitSet();
        boolean undamaged = direct != null;
        while (writes.remaining() >= 4) {
            int lane = writes.get() & 3;
            int number = (writes.get() & 0xff) % frames.size();
            byte[] frame = frames.get(number);
            byte[] bytes = damaged(frame, (writes.get() & 0xff) % frame.length, writes.get() & 0xff);
            undamaged &= lane == DIRECT && Arrays.equals(bytes, frame);
            whole.set(number);
            try {
                if (lane != DIRECT) {
                    lanes[lane].write(bytes);
                } else if (direct != null) {
                    direct.take(new ByteArrayInputStream(bytes), bytes.length);
                }
            } catch (IOException e) {
                // later writes must do no harm
            }
        }
        int blocks = blocks(queue);
        assertFalse(
                undamaged && blocks < Math.min(whole.nextClearBit(0), BLOCKS),
                "only " + blocks + " blocks were received");
    }

    /** Damages a frame: 0 not at all, 1 to 63 keeps so many bytes, 64 to 127 drops up to 63 bytes, others flip a bit. */
    private static byte[] damaged(byte[] frame, int from, int damage) {
        if (damage < 128) {
            int length = damage == 0 ? frame.length : damage < 64 ? damage : frame.length - (damage - 64);
            return Arrays.copyOfRange(frame, from, Math.min(frame.length, from + Math.max(0, length)));
        }
        byte[] flipped = frame.clone();
        flipped[from] ^= (byte) (1 << damage % 8);
        return flipped;
    }

    /** Verifies the received blocks, and returns their number. */
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
