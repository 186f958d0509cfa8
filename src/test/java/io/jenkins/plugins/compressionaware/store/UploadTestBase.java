package io.jenkins.plugins.compressionaware.store;

import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import io.jenkins.plugins.compressionaware.engine.packed.PackedListing;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.StoreSender;
import io.jenkins.plugins.compressionaware.engine.store.ObjectPart;
import io.jenkins.plugins.compressionaware.engine.store.PartChecksum;
import io.jenkins.plugins.compressionaware.testing.FakeStore;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;

/** Uploads that the SDK signs, and agents that misuse them. */
@Timeout(60)
abstract class UploadTestBase {
    static final Duration VALID = Duration.ofMinutes(10);
    static final int BLOCK = 64 * 1024;

    @TempDir
    Path tmp;

    @AutoClose
    final FakeStore server = new FakeStore();

    ObjectStore store;
    StoreLocation location;
    StoreJournal journal;

    UploadTestBase() throws IOException {}

    @BeforeEach
    void prepare() throws Exception {
        open(PartChecksum.CRC32C);
        journal = new StoreJournal(Files.createDirectory(tmp.resolve("journal")), any -> store);
    }

    void open(PartChecksum checksum) throws IOException {
        location = new StoreLocation(
                "bucket", FakeStore.REGION, "http://localhost:" + server.port(), true, "", "", checksum);
        store = ObjectStore.open(
                location, StaticCredentialsProvider.create(AwsBasicCredentials.create("AKID", "secret")));
    }

    UploadSession session(Set<String> requested) throws IOException {
        return new UploadSession(store, "jobs/", requested, BLOCK, journal, bytes -> {});
    }

    StoredRecord store(int bytes) throws Exception {
        try (UploadSession session = session(Set.of("a"))) {
            StoredRecord record = store(session, bytes);
            session.commit(tmp);
            return record;
        }
    }

    /** Stores a file {@code a}. */
    StoredRecord store(UploadSession session, int bytes) throws Exception {
        Path tree = Files.createDirectories(tmp.resolve("tree"));
        FileTrees.noise(tree.resolve("a"), bytes);
        SendOptions options = new SendOptions(Codec.NONE, 0, BLOCK, 1);
        StoreSender.Stored stored =
                StoreSender.send(tree, Map.of("a", "a"), options, session, location.checksum(), true, null);
        return session.complete(stored.tags(), stored.files());
    }

    int entries() throws IOException {
        try (Stream<Path> entries = Files.list(tmp.resolve("journal"))) {
            return (int) entries.count();
        }
    }

    static ObjectPart part(int number, int length) {
        return new ObjectPart("", number, length, "AAAAAA==");
    }

    static byte[] listing() {
        PackedListing listing = new PackedListing();
        listing.add(new FrameHeader(Codec.NONE, 0, 0, 5, Checksum.CRC32C, 0));
        return listing.toBytes();
    }
}
