package io.jenkins.plugins.compressionaware.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import io.jenkins.plugins.compressionaware.engine.store.PartChecksum;
import io.jenkins.plugins.compressionaware.testing.FakeStore;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;

/** Who owns an object after each step of its life. */
@Timeout(60)
abstract class StoreJournalTestBase {
    @TempDir
    Path tmp;

    @AutoClose
    final FakeStore server = new FakeStore();

    final StoreLocation location = new StoreLocation(
            "bucket", FakeStore.REGION, "http://localhost:" + server.port(), true, "", "", PartChecksum.CRC32C);

    ObjectStore store;
    StoreJournal journal;
    Path folder;
    Path build;

    StoreJournalTestBase() throws IOException {}

    @BeforeEach
    void prepare() throws Exception {
        store = ObjectStore.open(
                location, StaticCredentialsProvider.create(AwsBasicCredentials.create("AKID", "secret")));
        folder = Files.createDirectory(tmp.resolve("journal"));
        journal = new StoreJournal(folder, any -> store);
        build = Files.createDirectories(tmp.resolve("job/builds/1"));
        Files.createDirectories(build.resolve("archive/packed-artifacts"));
        Files.createDirectories(build.resolve("stashes"));
    }

    /** An upload whose object is complete. */
    final class Stored {
        final String id = UUID.randomUUID().toString();
        final String key = "jobs/" + id + ".tar.zst";
        final StoreJournal.Upload upload = journal.begin(location, key, id);

        Stored() throws IOException {
            server.put("/bucket/" + key, new byte[1]);
        }

        Stored commit() throws IOException {
            upload.commit(build);
            return this;
        }

        Stored record(String path) throws IOException {
            Files.deleteIfExists(build.resolve(path));
            new StoredRecord(location.describe(), key, 100, "tag", List.of()).write(build.resolve(path), new byte[0]);
            return this;
        }

        Stored end() {
            upload.end();
            return this;
        }

        boolean exists() {
            return server.object("/bucket/" + key) != null;
        }
    }

    Stored stash() throws IOException {
        return new Stored().commit().record("stashes/x.tar.zst").end();
    }

    /** Makes all lists of the journal old, and cleans it. */
    void cleanLater() throws IOException {
        cleanAfter(Duration.ofHours(7));
    }

    void cleanAfter(Duration passed) throws IOException {
        for (String list : FileTrees.list(folder)) {
            FileTime time = Files.getLastModifiedTime(folder.resolve(list));
            Files.setLastModifiedTime(
                    folder.resolve(list), FileTime.from(time.toInstant().minus(passed)));
        }
        journal.clean();
    }

    void takeUnused() throws IOException {
        journal.take(StoreJournal.unusedOf(build), StoreJournal.READERS);
    }

    void delete() throws IOException {
        journal.take(StoreJournal.listsOf(build), Duration.ZERO);
    }

    void assertEmpty() throws IOException {
        assertEquals(List.of(), FileTrees.list(folder));
    }
}
