package io.jenkins.plugins.compressionaware.engine.http;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.Provider;
import java.security.SecureRandom;
import java.security.Security;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sealed messages match test vectors of another AES-GCM implementation, and modified messages are rejected. */
class SealTest {
    private static final String HEAD = "sealed 4135";
    private static final LaneKeys KEYS = new LaneKeys(secret());

    private static String secret() {
        byte[] bytes = new byte[80];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) i;
        }
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static byte[] sealed(Seal seal, long number, String head, byte[] plain, int write) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Seal.Sealing sealing = seal.sealing(number, head, out);
        for (int at = 0; at < plain.length; at += write) {
            sealing.write(plain, at, Math.min(write, plain.length - at));
        }
        sealing.finish();
        return out.toByteArray();
    }

    private static byte[] opened(Seal seal, long number, String head, byte[] sealed, int length) throws IOException {
        return seal.opening(number, head, new ByteArrayInputStream(sealed), length)
                .readAllBytes();
    }

    private static byte[] plain() {
        byte[] plain = new byte[4103];
        Arrays.fill(plain, (byte) 1);
        System.arraycopy("tail!!!".getBytes(), 0, plain, 4096, 7);
        return plain;
    }

    @Test
    void requestMatchesVectors() throws Exception {
        assertEquals("AAECAwQFBgcICQoLDA0ODw", KEYS.id());
        assertEquals("4135", LaneKeys.requestHead(4135));
        assertEquals("AAECAwQFBgcICQoLDA0ODw 7 cA6yviVynnON6ZtD7yRSSg", KEYS.request(7, HEAD));
        byte[] sealed = sealed(KEYS.requests(), 7, HEAD, plain(), 1000);
        assertEquals(4135, sealed.length);
        assertEquals(
                "ac8d2541ebe67de66d5cc8b13fb0a5b94fbb7d604013aa87a862869c6046df29",
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(sealed)));
        assertEquals(
                "cd9c5bb3924050fe3d8dc308ae87f87b216b62bca9bd73", HexFormat.of().formatHex(sealed, 4112, 4135));
        assertArrayEquals(plain(), opened(KEYS.requests(), 7, HEAD, sealed, 4103));
    }

    @Test
    void responsesMatchVectors() throws Exception {
        String receipt = LaneKeys.answerHead(7, 204, 4103, 0);
        assertEquals("3 Uuc4OdOztkJeDMF56flfNQ", KEYS.answer(3, receipt));
        assertEquals(3, KEYS.verified("3 Uuc4OdOztkJeDMF56flfNQ", receipt));
        String given = LaneKeys.answerHead(9, 200, 5, 0);
        assertEquals("4 mnDJxG_8wGy6NcJZyOj58Q", KEYS.answer(4, given));
        byte[] sealed = HexFormat.of().parseHex("87f11748fe40db5b9922cc09dfb4c088f4fb016003");
        assertArrayEquals("bytes".getBytes(), opened(KEYS.answers(), 4, given, sealed, 5));
        assertArrayEquals(sealed, sealed(KEYS.answers(), 4, given, "bytes".getBytes(), 5));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4095, 4096, 4097, 65_535, 65_536, 65_537, 300_001})
    void bodiesOfVariousLengthsAreRestored(int length) throws Exception {
        byte[] plain = FileTrees.noise(length);
        for (int write : new int[] {1, 17, 4096, 5000, 1 << 20}) {
            if (write > 1 || length < 5000) {
                byte[] sealed = sealed(KEYS.requests(), 1, "", plain, write);
                assertEquals(Seal.sealedLength(length), sealed.length);
                assertEquals(length, Seal.openedLength(sealed.length));
                assertArrayEquals(plain, opened(KEYS.requests(), 1, "", sealed, length));
            }
        }
    }

    @Test
    void rejectsImpossibleSealedLengths() {
        for (int length : new int[] {1, 16, 4113, 4128}) {
            assertEquals(-1, Seal.openedLength(length));
        }
        assertTrue(Seal.openedLength(Integer.MAX_VALUE) > 0);
    }

    private static void assertChanged(byte[] sealed, long number, String head, int length) {
        assertFails(
                "something on the way changed the bytes", () -> opened(KEYS.requests(), number, head, sealed, length));
    }

    @Test
    void rejectsModifiedMessage() throws Exception {
        byte[] sealed = sealed(KEYS.requests(), 7, HEAD, plain(), 5000);
        for (int at : new int[] {0, 4000, 4095, 4096, 4111, 4112, 4118, 4119, 4134}) {
            byte[] flipped = sealed.clone();
            flipped[at] ^= 1;
            assertChanged(flipped, 7, HEAD, 4103);
        }
        assertChanged(sealed, 8, HEAD, 4103);
        assertChanged(sealed, 7, HEAD + ' ', 4103);
        assertChanged(sealed, 7, HEAD, 4102);
        assertFails("something on the way changed the bytes", () -> opened(KEYS.answers(), 7, HEAD, sealed, 4103));
        assertFails("the body broke off", () -> opened(KEYS.requests(), 7, HEAD, Arrays.copyOf(sealed, 4134), 4103));
    }

    @Test
    void rejectsMovedChunks() throws Exception {
        byte[] sealed = sealed(KEYS.requests(), 7, HEAD, FileTrees.noise(2 * 4096), 5000);
        byte[] swapped = new byte[sealed.length];
        System.arraycopy(sealed, 0, swapped, 4112, 4112);
        System.arraycopy(sealed, 4112, swapped, 0, 4112);
        assertChanged(swapped, 7, HEAD, 2 * 4096);
        System.arraycopy(sealed, 0, swapped, 0, 4112);
        assertChanged(swapped, 7, HEAD, 2 * 4096);
    }

    @Test
    void rejectsTagsOfOtherHeads() {
        LaneKeys others = new LaneKeys(LaneKeys.newSecret(new SecureRandom()));
        LaneKeys.Request request = LaneKeys.Request.of(KEYS.request(7, HEAD));
        assertTrue(KEYS.requests().verifies(7, HEAD, request.tag()));
        assertFalse(KEYS.requests().verifies(8, HEAD, request.tag()));
        assertFalse(KEYS.requests().verifies(7, "4136", request.tag()));
        assertFalse(KEYS.answers().verifies(7, HEAD, request.tag()));
        assertFalse(others.requests().verifies(7, HEAD, request.tag()));
        assertEquals(0, KEYS.verified(null, HEAD));
        assertEquals(0, KEYS.verified("7 " + request.tag(), HEAD));
    }

    /** A log line may contain the text of an offer. */
    @Test
    void textOfOfferOmitsSecret() {
        DirectLaneOffer offer = new DirectLaneOffer(
                new ArrayList<>(List.of("http://a/")), secret(), 3, false, 1, DirectLaneOffer.Limits.USUAL);
        assertEquals("[http://a/], 3 connections", offer.toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "AAECAwQFBgcICQoLDA0ODw",
                "AAECAwQFBgcICQoLDA0ODw 7 ",
                "AAECAwQFBgcICQoLDA0ODw open 7 AAECAwQFBgcICQoLDA0ODw",
                "AAECAwQFBgcICQoLDA0ODw -7 AAECAwQFBgcICQoLDA0ODw",
                "AAECAwQFBgcICQoLDA0ODw 9999999999999999999 AAECAwQFBgcICQoLDA0ODw",
                "AAECAwQFBgcICQoLDA0ODw 7 AAECAwQFBgcICQoLDA0ODw="
            })
    void rejectsInvalidHeaders(String header) {
        assertNull(LaneKeys.Request.of(header));
        assertNull(LaneKeys.Request.of(null));
    }

    /** A JVM in FIPS mode may lack AES-GCM. */
    @Test
    void missingCipherHasPlainReasonAndKind() {
        assertTrue(Seal.works());
        Provider provider = Security.getProvider("SunJCE");
        int position = List.of(Security.getProviders()).indexOf(provider) + 1;
        Security.removeProvider(provider.getName());
        try {
            assertFalse(Seal.works());
            RuntimeException failure = assertThrows(RuntimeException.class, () -> KEYS.request(1, "0"));
            assertEquals("this JVM does not offer AES-GCM", failure.getMessage());
            assertEquals(LaneFailure.NO_CIPHER, LaneFailure.of(failure));
        } finally {
            Security.insertProviderAt(provider, position);
        }
        assertTrue(Seal.works());
    }
}
