package io.jenkins.plugins.compressionaware.agent;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.jenkins.plugins.compressionaware.adapt.Choice;
import io.jenkins.plugins.compressionaware.adapt.Usage;
import io.jenkins.plugins.compressionaware.codec.Checksum;
import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.send.Compression;
import io.jenkins.plugins.compressionaware.send.SendOptions;
import io.jenkins.plugins.compressionaware.transfer.DirectOffer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What travels to a fresh agent when the engine starts there. */
class SendFilesTest {
    private static final SendOptions AUTO =
            new SendOptions(new Compression.Auto(1, 7, EnumSet.of(Codec.NONE, Codec.ZSTD)), 2048, 3, Checksum.CRC32C);

    private static final DirectOffer OFFER = new DirectOffer(
            new ArrayList<>(List.of("http://a/", "http://b/")), "token", 2, true, 77, new DirectOffer.Limits(5, 6));

    /** Each takes a fresh JVM 10 to 40 ms. */
    @Test
    void noRecordTravels() throws Exception {
        AgentFacts facts = new AgentFacts(new RoundTrip(5, true), 2, "linux/amd64", null);
        Selection.Named files = new Selection.Named(new HashMap<>(Map.of("name", "path")));
        SendFiles send = new SendFiles(files, "id", AUTO, new ArrayList<>(), null, 9, facts, OFFER, null, null);
        List<String> records = new ArrayList<>();
        readAgain(send, records);
        assertEquals(List.of(), records);
    }

    @Test
    void whatIsReadIsWhatWasWritten() throws Exception {
        SendOptions fixed = new SendOptions(new Compression.Fixed(new Choice(Codec.ZSTD, 5)), 2048, 3, Checksum.NONE);
        for (Object written : List.of(AUTO, fixed, OFFER)) {
            assertEquals(written, readAgain(written, new ArrayList<>()));
        }
    }

    @Test
    void namesAreJoined() {
        assertArrayEquals(
                "a\0x/a\0\u00e4\0b\0".getBytes(StandardCharsets.UTF_8),
                FirstFiles.join(Map.of("\u00e4", "b", "a", "x/a")));
        assertNull(FirstFiles.join(Map.of("half a character \ud83d", "a")));
        assertNull(FirstFiles.join(Map.of("a\0b", "a")));
    }

    /** The agent may hear of its fast link when the last bytes are still in the deflater. */
    @Test
    void noWireByteIsForgotten() {
        for (long slowRaw : new long[] {-1, 0, 600, 1_000, 1_512}) {
            List<Usage> usages = new HeadStartAnswer(true, 0, 0, slowRaw, 200, 7, 9, new byte[0]).usages(1_000, 300);
            assertEquals(1_000, usages.stream().mapToLong(Usage::rawBytes).sum(), "of " + slowRaw);
            assertEquals(300, usages.stream().mapToLong(Usage::wireBytes).sum(), "of " + slowRaw);
        }
    }

    /** What an engine is told of the link when its head start was too short to see it. */
    @Test
    void believedSpeedIsAnUpperBound() {
        HeadStart believed = new HeadStart(new byte[0], "id", null, HeadStart.LEAST, true);
        assertEquals(HeadStart.LITTLE, believed.linkBytes());
        assertEquals(HeadStart.FAST * HeadStart.LITTLE, believed.linkNanos());
        assertEquals(0, new HeadStart(new byte[0], "id", null, HeadStart.LEAST, false).linkBytes());
    }

    private static Object readAgain(Object object, List<String> records) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(object);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())) {
            @Override
            protected Class<?> resolveClass(ObjectStreamClass description) throws IOException, ClassNotFoundException {
                Class<?> type = super.resolveClass(description);
                if (type.isRecord()) {
                    records.add(type.getName());
                }
                return type;
            }
        }) {
            return in.readObject();
        }
    }
}
