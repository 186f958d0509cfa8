package io.jenkins.plugins.compressionaware.agent;

import hudson.model.Computer;
import io.jenkins.plugins.compressionaware.receive.SenderWatch;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** An {@link Engine} that another thread starts while a transfer runs, or that is never started. */
final class LateEngine implements SenderWatch, Closeable {
    private final CompletableFuture<Engine> started = new CompletableFuture<>();
    private final Engine.Start start;

    LateEngine(Engine.Start start) {
        this.start = start;
    }

    /**
     * Starts it. Returns at once.
     *
     * @param headStart id of the {@link HeadStart} that it takes over
     */
    void bring(String headStart) {
        Computer.threadPoolForRemoting.execute(() -> {
            try {
                started.complete(start.start(headStart));
            } catch (Exception | Error e) {
                started.completeExceptionally(e);
            }
        });
    }

    /** Waits until it has started. */
    Engine get() throws IOException, InterruptedException {
        try {
            return started.get();
        } catch (ExecutionException e) {
            throw new IOException(e.getCause().getMessage(), e.getCause());
        }
    }

    @Override
    public void check() throws IOException, InterruptedException {
        if (started.isDone()) {
            get().check();
        }
    }

    /** Ends it, also if it is just being started. */
    @Override
    public void close() {
        started.whenComplete((engine, failure) -> {
            if (engine != null) {
                engine.close();
            }
        });
    }
}
