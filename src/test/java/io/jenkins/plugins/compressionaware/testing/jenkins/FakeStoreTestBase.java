package io.jenkins.plugins.compressionaware.testing.jenkins;

import com.cloudbees.jenkins.plugins.awscredentials.AWSCredentialsImpl;
import com.cloudbees.plugins.credentials.CredentialsScope;
import com.cloudbees.plugins.credentials.SystemCredentialsProvider;
import io.jenkins.plugins.compressionaware.store.S3Store;
import io.jenkins.plugins.compressionaware.testing.FakeStore;
import java.io.IOException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;

/** Base class of tests whose artifacts and stashes are in a store that fails on demand. */
public abstract class FakeStoreTestBase extends JenkinsTestBase {
    @AutoClose
    protected final FakeStore store = new FakeStore();

    protected FakeStoreTestBase() throws IOException {}

    @BeforeEach
    void useStore() throws Exception {
        SystemCredentialsProvider.getInstance()
                .getCredentials()
                .add(new AWSCredentialsImpl(CredentialsScope.GLOBAL, "fake", "AKID", "secret", ""));
        S3Store setting = new S3Store("bucket");
        setting.setRegion(FakeStore.REGION);
        setting.setEndpoint("http://localhost:" + store.port());
        setting.setPathStyle(true);
        setting.setCredentialsId("fake");
        usePlugin();
        factory.setStore(setting);
    }
}
