package io.jenkins.plugins.compressionaware.packed;

import io.jenkins.plugins.compressionaware.testing.jenkins.TestStore;

/** Artifacts in a store, and everything of Jenkins that reads packed artifacts. {@link StoreFaultsTest} looks into the store. */
class StoredArtifactsTest extends PackedArtifactsTest {
    private TestStore store;

    @Override
    void pack(boolean on) throws Exception {
        store = store == null ? TestStore.start() : store;
        factory.setStore(on ? store.setting() : null);
    }
}
