package io.jenkins.plugins.compressionaware.transfer;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import hudson.ExtensionList;
import hudson.model.FreeStyleBuild;
import hudson.model.FreeStyleProject;
import hudson.model.Slave;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.FakeStoreTestBase;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import java.io.IOException;
import java.lang.reflect.Field;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import jenkins.util.AtmostOneTaskExecutor;
import org.junit.jupiter.api.Test;

/** A controller that had no thread to delete objects. */
class RefusedDeletionTest extends FakeStoreTestBase {
    private final AtmostOneTaskExecutor<?> deletion;

    RefusedDeletionTest() throws Exception {
        Field field = StoreCleanup.class.getDeclaredField("DELETION");
        field.setAccessible(true);
        deletion = (AtmostOneTaskExecutor<?>) field.get(null);
    }

    private Object get(String name) throws ReflectiveOperationException {
        synchronized (deletion) {
            return field(name).get(deletion);
        }
    }

    private void set(String name, Object value) throws ReflectiveOperationException {
        synchronized (deletion) {
            field(name).set(deletion, value);
        }
    }

    private static Field field(String name) throws ReflectiveOperationException {
        Field field = AtmostOneTaskExecutor.class.getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }

    /** The executor of Jenkins does nothing more after it was refused a thread. */
    @Test
    void nextHourDeletesTheObjects() throws Exception {
        Slave agent = InboundTransport.TCP.start(agents, r);
        FreeStyleProject job = archiving(agent);
        FileTrees.write(workspaceOf(agent, job), "a", "text");
        FreeStyleBuild first = r.buildAndAssertSuccess(job);
        FreeStyleBuild second = r.buildAndAssertSuccess(job);
        String refused = path(first);
        String waiting = path(second);
        await().until(() -> get("pending") == null && get("inprogress") == null);
        ExecutorService full = Executors.newCachedThreadPool();
        full.shutdown();
        Object base = get("base");
        set("base", full);
        try {
            first.delete();
            set("base", base);
            second.delete();
            assertNotNull(get("pending"));
            assertNotNull(store.object(refused));
            assertNotNull(store.object(waiting));
            ExtensionList.lookupSingleton(StoreCleanup.Hourly.class).doRun();
            await().untilAsserted(() -> assertNull(store.object(refused)));
            await().untilAsserted(() -> assertNull(store.object(waiting)));
        } finally {
            set("base", base);
            set("pending", null);
        }
    }

    private static String path(FreeStyleBuild build) throws IOException {
        return "/bucket/"
                + StoredRecord.of(archiveOf(build).resolve("packed-artifacts/1.tar.zst"))
                        .key();
    }
}
