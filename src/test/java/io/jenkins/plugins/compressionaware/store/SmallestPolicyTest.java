package io.jenkins.plugins.compressionaware.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.jenkins.plugins.compressionaware.docs.Page;
import io.jenkins.plugins.compressionaware.engine.store.PartChecksum;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import software.amazon.awssdk.services.s3.model.MultipartUpload;

/** The policy of docs/security.md, which a store in another process enforces for a key of its own. */
@Timeout(120)
class SmallestPolicyTest extends RealStoreTestBase {
    /** Where {@code scripts/seaweedfs} lets the key store objects. */
    private static final String PREFIX = "limited/";

    /** Denies an action in a bucket, whatever else allows it. */
    private static final String DENIAL = """
        {"Version": "2012-10-17", "Statement": [{"Effect": "Deny",
          "Principal": {"AWS": "arn:aws:iam::000000000000:user/limited"},
          "Action": "%1$s", "Resource": ["arn:aws:s3:::%2$s", "arn:aws:s3:::%2$s/*"]}]}
        """;

    private final String bucket = System.getenv("STORE_BUCKET");
    private ObjectStore owner;
    private ObjectStore limited;

    @BeforeEach
    void openStores() throws IOException {
        assumeTrue(
                System.getenv("STORE_LIMITED_KEY_ID") != null,
                "no key with the policy: start scripts/seaweedfs, and set the variables that it prints");
        owner = open(location(PartChecksum.CRC32C), "AWS_SECRET_ACCESS_KEY");
        limited = open(location(PartChecksum.CRC32C), "STORE_LIMITED_KEY_ID", "STORE_LIMITED_SECRET_KEY");
    }

    @AfterEach
    void deleteAll() throws IOException {
        if (owner != null) {
            List<String> keys = new ArrayList<>();
            owner.list(PREFIX, (key, time) -> keys.add(key));
            owner.delete(keys);
            for (MultipartUpload upload : owner.client()
                    .listMultipartUploads(list -> list.bucket(bucket).prefix(PREFIX))
                    .uploads()) {
                owner.abort(upload.key());
            }
            owner.close();
            limited.close();
        }
    }

    /** Sends requests of all kinds. */
    private void useAll() throws Exception {
        StoreProbe.run(limited.location(), PREFIX, limited);
        limited.list(PREFIX, (key, time) -> {});
    }

    @Test
    void policyAllowsAllRequests() throws Exception {
        useAll();
    }

    private static Stream<String> actions() {
        return Pattern.compile("\"(s3:[A-Za-z]+)\"")
                .matcher(Page.of("docs/security.md").text())
                .results()
                .map(found -> found.group(1));
    }

    @ParameterizedTest
    @MethodSource("actions")
    void eachActionIsNeeded(String action) throws Exception {
        owner.client().putBucketPolicy(put -> put.bucket(bucket).policy(DENIAL.formatted(action, bucket)));
        try {
            String message = assertThrows(IOException.class, this::useAll).getMessage();
            assertTrue(message.matches("(?s).*(403|Access Denied).*"), message);
        } finally {
            owner.client().deleteBucketPolicy(delete -> delete.bucket(bucket));
        }
    }

    @Test
    void otherKeysAreRefused() throws Exception {
        String other = "real/of-another-key";
        IOException failure = assertThrows(IOException.class, () -> limited.create(other, "text/plain"));
        assertTrue(failure.getMessage().contains("403"), failure.getMessage());
        failure = assertThrows(IOException.class, () -> limited.check(other, 1, null));
        assertTrue(failure.getMessage().contains("403"), failure.getMessage());
        assertEquals(Set.of(other), limited.tryDelete(List.of(other)).keySet());
    }
}
