package io.jenkins.plugins.compressionaware.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.FrameEnvelope;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import io.jenkins.plugins.compressionaware.engine.packed.PackedListing;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.StoreSender;
import io.jenkins.plugins.compressionaware.engine.staging.StagingJournal;
import io.jenkins.plugins.compressionaware.engine.store.ObjectPart;
import io.jenkins.plugins.compressionaware.engine.store.ObjectReader;
import io.jenkins.plugins.compressionaware.engine.store.SignedRequest;
import io.jenkins.plugins.compressionaware.engine.store.StoreUpload;
import io.jenkins.plugins.compressionaware.engine.store.StoredObject;
import io.jenkins.plugins.compressionaware.engine.tar.TarEntry;
import io.jenkins.plugins.compressionaware.packed.Unpacker;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Frame;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Objects whose tar differs from the list that the agent has sent to the controller. */
class HostileTarTest extends UploadTestBase {
    private static final TarEntry A = new TarEntry("a", TarEntry.FILE, 0, 1, 0, 0644, "");
    private static final TarEntry B = new TarEntry("b", TarEntry.FILE, 1024, 2, 0, 0644, "");

    HostileTarTest() throws IOException {}

    /** Unpacking deletes the object. */
    @Test
    void tarWithOtherFilesThanItsListIsNotUnpacked() throws Exception {
        Path tree = Files.createDirectories(tmp.resolve("tree"));
        FileTrees.write(tree, "a", "1");
        FileTrees.write(tree, "b", "22");
        StoredRecord.setOpener((file, opened) -> new StoredObject(
                opened.key(),
                new ObjectReader(() -> store.signGet(opened.key(), VALID, null), opened.length(), opened.tag())));
        Path target = tmp.resolve("target");
        Map<String, String> files = FileTrees.names(tree);
        assertEquals(2, Unpacker.unpack(store(tree, files, "honest", List.of(A, B)), target));
        String differs = "its list does not have b as its tar does";
        Map<List<TarEntry>, String> forged = Map.of(
                List.of(A, new TarEntry("b", TarEntry.FILE, 1024, 3, 0, 0644, "")), differs,
                List.of(A, new TarEntry("b", TarEntry.LINK, 1024, 0, 0, 0644, "a")), differs,
                List.of(A, new TarEntry("c", TarEntry.FILE, 1024, 2, 0, 0644, "")), differs,
                List.of(A), differs,
                List.of(A, B, new TarEntry("c", TarEntry.FILE, 1024, 2, 0, 0644, "")),
                        "its tar lacks 1 of the files in its list");
        for (Map.Entry<List<TarEntry>, String> each : forged.entrySet()) {
            Path archive = store(tree, files, "build" + each.hashCode(), each.getKey());
            IOException refused = assertThrows(IOException.class, () -> Unpacker.unpack(archive, target));
            assertTrue(refused.getMessage().endsWith(": " + each.getValue()), refused.getMessage());
        }
        Path twice = store(
                tree,
                Map.of("a", "a", "./a", "a"),
                "twice",
                List.of(A, new TarEntry("b", TarEntry.FILE, 1024, 1, 0, 0644, "")));
        IOException refused = assertThrows(IOException.class, () -> Unpacker.unpack(twice, target));
        assertTrue(refused.getMessage().endsWith(": its tar lacks 1 of the files in its list"), refused.getMessage());
    }

    /** Archives files of a tree as if they were the listed ones. */
    private Path store(Path tree, Map<String, String> files, String build, List<TarEntry> list) throws Exception {
        Path archive = Files.createDirectories(tmp.resolve(build).resolve("archive"));
        Set<String> names = list.stream().map(TarEntry::name).collect(Collectors.toSet());
        try (UploadSession session = session(names)) {
            StoreSender.Stored stored = StoreSender.send(
                    tree,
                    files,
                    new SendOptions(Codec.NONE, 0, BLOCK, 1),
                    new HostileUpload(session, list),
                    location.checksum(),
                    true,
                    null);
            StoredRecord record = session.complete(stored.tags(), stored.files());
            session.commit(archive.getParent());
            session.packedEnd().commit(archive, new StagingJournal(tmp.resolve("staging"), tmp), record);
            return archive;
        }
    }

    /** Lists other files than the tar has. */
    private record HostileUpload(UploadSession session, List<TarEntry> list) implements StoreUpload {
        @Override
        public SignedRequest[] sign(ObjectPart[] parts) throws IOException {
            return session.sign(parts);
        }

        @Override
        public byte[] end(byte[] honest) throws IOException {
            PackedListing listing = new PackedListing();
            list.forEach(listing::add);
            byte[] tar = new byte[2 * 1024 + 1024];
            for (byte[] frame : List.of(Frame.block(Codec.NONE, 0, tar), Frame.end(Codec.NONE, 1))) {
                listing.add(FrameEnvelope.forFirstByte(frame[0]).read(frame));
            }
            return session.end(listing.toBytes());
        }
    }
}
