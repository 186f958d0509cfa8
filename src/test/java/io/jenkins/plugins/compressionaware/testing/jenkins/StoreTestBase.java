package io.jenkins.plugins.compressionaware.testing.jenkins;

import org.junit.jupiter.api.BeforeEach;

/** Base class of tests whose artifacts and stashes are in a store. They are skipped without one. */
public abstract class StoreTestBase extends JenkinsTestBase {
    protected TestStore store;

    @BeforeEach
    void useStore() throws Exception {
        store = TestStore.start();
        usePlugin();
        factory.setStore(store.setting());
    }
}
