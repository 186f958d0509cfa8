package io.jenkins.plugins.compressionaware.testing.jenkins;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.cloudbees.jenkins.plugins.awscredentials.AWSCredentialsImpl;
import com.cloudbees.plugins.credentials.CredentialsScope;
import com.cloudbees.plugins.credentials.SystemCredentialsProvider;
import io.jenkins.plugins.compressionaware.store.ObjectStores;
import io.jenkins.plugins.compressionaware.store.S3Store;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.transfer.StoreCleanup;
import java.io.IOException;
import java.io.Serializable;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import jenkins.model.Jenkins;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/** A prefix of its own in the store that {@code scripts/seaweedfs} has started. Tests are skipped without a store. */
public final class TestStore implements Serializable {
    private static final long serialVersionUID = 1L;

    private final String prefix;
    private final String endpoint;

    private TestStore(String endpoint, String prefix) {
        this.endpoint = endpoint;
        this.prefix = prefix;
    }

    /** Must be called while Jenkins runs in this JVM. */
    public static TestStore start() throws IOException {
        TestStore store = choose();
        store.addCredentials();
        return store;
    }

    /** Chooses a prefix, for a Jenkins in any JVM. */
    public static TestStore choose() {
        assumeStore();
        return new TestStore(System.getenv("STORE_ENDPOINT"), "jenkins/" + UUID.randomUUID());
    }

    /** Adds the credentials {@code s3} and {@code wrong}. Must be called in the JVM of Jenkins. */
    public void addCredentials() throws IOException {
        addCredentials("s3", System.getenv("AWS_SECRET_ACCESS_KEY"));
        addCredentials("wrong", "no-secret");
    }

    /** Deletes all objects that were to be deleted in the next seven hours. */
    public static void cleanLater() throws IOException {
        Path journal = Jenkins.get().getRootDir().toPath().resolve("compression-aware-artifacts/store");
        for (String list : FileTrees.list(journal)) {
            FileTime time = Files.getLastModifiedTime(journal.resolve(list));
            Files.setLastModifiedTime(
                    journal.resolve(list), FileTime.from(time.toInstant().minus(Duration.ofHours(7))));
        }
        StoreCleanup.journal().clean();
    }

    public static void assumeStore() {
        assumeTrue(
                System.getenv("STORE_ENDPOINT") != null,
                "no store: start scripts/seaweedfs, and set the variables that it prints");
    }

    public static int port() {
        return URI.create(System.getenv("STORE_ENDPOINT")).getPort();
    }

    private static void addCredentials(String id, String secret) throws IOException {
        SystemCredentialsProvider provider = SystemCredentialsProvider.getInstance();
        provider.getCredentials()
                .add(new AWSCredentialsImpl(
                        CredentialsScope.GLOBAL, id, System.getenv("AWS_ACCESS_KEY_ID"), secret, ""));
        provider.save();
    }

    /** Returns the same prefix of the store, which is reached over another port. */
    public TestStore over(int port) {
        return new TestStore("http://127.0.0.1:" + port, prefix);
    }

    /** Returns settings that reach the store. */
    public S3Store setting() {
        S3Store setting = new S3Store(System.getenv("STORE_BUCKET"));
        setting.setRegion(System.getenv("STORE_REGION"));
        setting.setEndpoint(endpoint);
        setting.setPathStyle(true);
        setting.setCredentialsId("s3");
        setting.setPrefix(prefix);
        return setting;
    }

    /** Returns the number of uploads in parts that have not ended. */
    public int unfinished() {
        try (S3Client client = client()) {
            return client.listMultipartUploads(
                            list -> list.bucket(System.getenv("STORE_BUCKET")).prefix(prefix))
                    .uploads()
                    .size();
        }
    }

    /** Deletes an object behind the back of Jenkins. */
    public void delete(String key) {
        try (S3Client client = client()) {
            client.deleteObject(
                    delete -> delete.bucket(System.getenv("STORE_BUCKET")).key(key));
        }
    }

    private S3Client client() {
        return S3Client.builder()
                .endpointOverride(URI.create(endpoint))
                .region(Region.of(System.getenv("STORE_REGION")))
                .forcePathStyle(true)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create(
                        System.getenv("AWS_ACCESS_KEY_ID"), System.getenv("AWS_SECRET_ACCESS_KEY"))))
                .build();
    }

    /** Returns the keys of all objects. */
    public Set<String> keys() throws IOException {
        Set<String> keys = new TreeSet<>();
        ObjectStores.of(setting().location()).list(prefix + '/', (key, stored) -> keys.add(key));
        return keys;
    }
}
