package io.jenkins.plugins.compressionaware.packed;

import io.jenkins.plugins.compressionaware.testing.jenkins.TestStore;

/** What else Jenkins does with builds whose artifacts are in a store. */
class StoredBuildsTest extends PackedBuildsTest {
    @Override
    void pack() throws Exception {
        factory.setStore(TestStore.start().setting());
    }
}
