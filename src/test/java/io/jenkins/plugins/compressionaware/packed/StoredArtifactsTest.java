package io.jenkins.plugins.compressionaware.packed;

import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.jenkins.plugins.compressionaware.testing.jenkins.TestStore;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;

/** Artifacts in a store, and everything of Jenkins that reads packed artifacts. */
class StoredArtifactsTest extends PackedArtifactsTest {
    private TestStore store;

    @Override
    void pack(boolean on) throws Exception {
        store = store == null ? TestStore.start() : store;
        factory.setStore(on ? store.setting() : null);
    }

    @AfterEach
    void theStoreWasUsed() throws Exception {
        assertNotEquals(Set.of(), store.keys());
    }
}
