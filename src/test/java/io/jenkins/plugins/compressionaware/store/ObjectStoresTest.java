package io.jenkins.plugins.compressionaware.store;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import io.jenkins.plugins.compressionaware.engine.store.ObjectReaders;
import io.jenkins.plugins.compressionaware.engine.store.PartChecksum;
import io.jenkins.plugins.compressionaware.engine.tar.SelectedFiles;
import io.jenkins.plugins.compressionaware.testing.TestThreads;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ObjectStoresTest {
    private static final String SERVICE = "aws.ec2MetadataServiceEndpoint";

    @AutoClose
    private final TestThreads threads = new TestThreads();

    private static StoreLocation location(String region) {
        return new StoreLocation("bucket", region, "http://localhost:1", true, "", "", PartChecksum.CRC32C);
    }

    /** An agent may keep it as long as it is connected. */
    @Test
    void signaturesEndWithTheirTransfer() throws Exception {
        StoredRecord record = new StoredRecord(location("eu-test-1").describe(), "key", 1, "tag", List.of());
        ObjectStores.Reading reading = new ObjectStores.Reading(record);
        reading.close();
        assertFails("The transfer is over", () -> reading.sign("key"));
    }

    /** An agent could name any object that the controller can read. */
    @Test
    void onlyObjectsOfTheTransferAreSigned() throws Exception {
        String store = location("eu-test-1").describe();
        StoredRecord file = new StoredRecord(store, "file", 2, "tag of file", List.of());
        try (ObjectStores.Reading reading =
                new ObjectStores.Reading(new StoredRecord(store, "key", 1, "tag", List.of(file)))) {
            assertFails("There is no record of the object other", () -> reading.sign("other"));
            SelectedFiles.OwnObject own = new SelectedFiles.OwnObject("file", new byte[512]);
            assertEquals(
                    List.of(
                            new ObjectReaders.Stored("key", 1, "tag"),
                            new ObjectReaders.Stored("file", 2, "tag of file")),
                    reading.objects(new SelectedFiles(new long[] {1, 2, 0}, new long[0], List.of(own), new byte[0])));
            SelectedFiles forged = new SelectedFiles(new long[] {1, 3, 0}, new long[0], List.of(own), new byte[0]);
            assertFails("There is no record of the object file with 3 bytes", () -> reading.objects(forged));
        }
    }

    /** The SDK asks a service of the machine for a region that is not set. */
    @Test
    void otherStoresDoNotWaitForOneThatIsOpened() throws Exception {
        StoreLocation known = location("eu-test-1");
        ObjectStores.of(known);
        String before = System.getProperty(SERVICE);
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            System.setProperty(SERVICE, "http://localhost:" + silent.getLocalPort());
            Future<?> opening = threads.startBlocking(() -> ObjectStores.of(location("")));
            try (Socket asked = silent.accept()) {
                assertNotNull(ObjectStores.of(known));
                assertFalse(opening.isDone());
            }
        } finally {
            if (before == null) {
                System.clearProperty(SERVICE);
            } else {
                System.setProperty(SERVICE, before);
            }
        }
    }
}
