package io.jenkins.plugins.compressionaware.store;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.jenkins.plugins.compressionaware.engine.store.PartChecksum;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;

/** Base class of tests with a store in another process, which {@code scripts/seaweedfs} starts. They are skipped without it. */
abstract class RealStoreTestBase {
    static final Duration VALID = Duration.ofMinutes(10);
    static final int BLOCK = 64 * 1024;

    @TempDir
    Path tmp;

    StoreJournal journal;

    @BeforeEach
    void prepare() throws IOException {
        assumeTrue(
                System.getenv("STORE_ENDPOINT") != null,
                "no store: start scripts/seaweedfs, and set the variables that it prints");
        journal = new StoreJournal(
                Files.createDirectory(tmp.resolve("journal")), location -> open(location, "AWS_SECRET_ACCESS_KEY"));
    }

    static StoreLocation location(PartChecksum checksum) {
        return new StoreLocation(
                System.getenv("STORE_BUCKET"),
                System.getenv("STORE_REGION"),
                System.getenv("STORE_ENDPOINT"),
                true,
                "",
                "",
                checksum);
    }

    /** @param secret name of the variable with the secret key */
    static ObjectStore open(StoreLocation location, String secret) throws IOException {
        return open(location, "AWS_ACCESS_KEY_ID", secret);
    }

    /**
     * @param id     name of the variable with the ID of the access key
     * @param secret the same of the secret key
     */
    static ObjectStore open(StoreLocation location, String id, String secret) throws IOException {
        return ObjectStore.open(
                location,
                StaticCredentialsProvider.create(AwsBasicCredentials.create(System.getenv(id), System.getenv(secret))));
    }
}
