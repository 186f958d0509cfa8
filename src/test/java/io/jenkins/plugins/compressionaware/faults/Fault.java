package io.jenkins.plugins.compressionaware.faults;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.jenkins.plugins.compressionaware.testing.FaultyHttpProxy;
import io.jenkins.plugins.compressionaware.testing.MountedFileSystem;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;

/** What goes wrong with a transfer, in its middle unless it says otherwise. */
enum Fault {
    AGENT_KILLED("the agent's process is killed", 200_000_000, scene -> scene.agent.kill()),
    AGENT_SUSPENDED("the agent's process is suspended for a second", 60_000_000, scene -> {
        scene.agent.signal("STOP");
        TimeUnit.SECONDS.sleep(1);
        scene.agent.signal("CONT");
    }),
    CHANNEL_CLOSED(
            "the channel is closed", 200_000_000, scene -> scene.agent.channel().close()),
    BUILD_ABORTED("the build is aborted", 200_000_000, scene -> scene.build.doStop()),
    ABORTED_WHILE_SUSPENDED(
            "the build is aborted while the agent's process is suspended",
            200_000_000,
            scene -> () -> {},
            scene -> {
                scene.agent.signal("STOP");
                scene.build.doStop();
            },
            scene -> scene.agent.signal("CONT")),
    FILE_SHRINKS("the file that is read shrinks", 200_000_000, scene -> {
        try (RandomAccessFile file = new RandomAccessFile(scene.read().toFile(), "rw")) {
            file.setLength(1000);
        }
    }),
    FILE_GROWS(
            "the file that is read grows",
            60_000_000,
            scene -> Files.write(scene.read(), new byte[1000], StandardOpenOption.APPEND)),
    FILE_DELETED("the file that is read is deleted", 60_000_000, scene -> Files.delete(scene.read())),
    NEXT_FILE_DELETED("a file is deleted before its turn", 120_000_000, scene -> Files.delete(scene.from.resolve("z"))),
    BLOCK_DAMAGED("a stored byte is corrupted", 60_000_000, scene -> {
        try (RandomAccessFile file = new RandomAccessFile(scene.read().toFile(), "rw")) {
            file.seek(scene.large().toFile().length() / 2);
            int b = file.read();
            file.seek(file.getFilePointer() - 1);
            file.write(b ^ 1);
        }
    }),
    DISK_FULL(
            "the disk that files come to is full",
            60_000_000,
            scene -> MountedFileSystem.small(scene.noDisk(), 8),
            scene -> {},
            scene -> {}),
    DISK_FREEZES(
            "the disk that files come to freezes for a second",
            60_000_000,
            FaultScenario::mountFreezingDisk,
            scene -> {
                scene.freezing.freeze();
                TimeUnit.SECONDS.sleep(1);
                scene.freezing.thaw();
            },
            scene -> {}),
    ABORTED_WHILE_FROZEN(
            "the build is aborted while the disk that files come to is frozen",
            200_000_000,
            FaultScenario::mountFreezingDisk,
            scene -> {
                scene.freezing.freeze();
                scene.build.doStop();
            },
            scene -> scene.freezing.thaw()),
    READ_HANGS(
            "the agent's disk does not answer for a second while it is read",
            60_000_000,
            scene -> scene.agent.reads(),
            scene -> {
                hangReads(scene);
                TimeUnit.SECONDS.sleep(1);
                scene.agent.reads().close();
            },
            scene -> {}),
    ABORTED_WHILE_READ_HANGS(
            "the build is aborted while the agent's disk does not answer",
            200_000_000,
            scene -> scene.agent.reads(),
            scene -> {
                hangReads(scene);
                scene.build.doStop();
            },
            scene -> scene.agent.reads().close()),
    CLOCK_FORWARD("the agent's clock jumps three days forward", TimeUnit.DAYS.toSeconds(3)),
    CLOCK_BACK("the agent's clock jumps three days back", -TimeUnit.DAYS.toSeconds(3)),
    NOT_WRITABLE(
            "the folder that files come to can no longer be changed",
            60_000_000,
            scene -> {
                Path folder = Files.createDirectories(scene.to);
                assumeTrue(
                        FaultScenario.mayChange(folder, false) && FaultScenario.mayChange(folder, true),
                        "Untested: a folder that nobody may change (needs root and ext4)");
                return () -> FaultScenario.mayChange(scene.target(), true);
            },
            scene -> FaultScenario.mayChange(scene.target(), false),
            scene -> {}),
    PROXY_DIES("a proxy breaks off all requests halfway", FaultyHttpProxy.Fault.DIES_HALFWAY),
    PROXY_LOSES_ANSWERS("a proxy loses all answers", FaultyHttpProxy.Fault.RECEIPT_LOST),
    PROXY_IS_SILENT("a proxy answers no request", FaultyHttpProxy.Fault.UNANSWERED),
    PROXY_HAS_NO_SERVER("a proxy answers with 502", FaultyHttpProxy.Fault.BAD_GATEWAY),
    PROXY_ANSWERS_ITSELF("a proxy answers with a page of its own", FaultyHttpProxy.Fault.OK_OF_SOMETHING_ELSE);

    final String title;

    /** Of the file that is under way, bytes. */
    final int size;

    private final Preparation preparation;
    private final Strike strike;
    private final Strike relief;

    private interface Preparation {
        AutoCloseable of(FaultScenario scene) throws Exception;
    }

    private interface Strike {
        void at(FaultScenario scene) throws Exception;
    }

    Fault(String title, int size, Strike strike) {
        this(title, size, scene -> () -> {}, strike, scene -> {});
    }

    Fault(String title, int size, Preparation preparation, Strike strike, Strike relief) {
        this.title = title;
        this.size = size;
        this.preparation = preparation;
        this.strike = strike;
        this.relief = relief;
    }

    Fault(String title, FaultyHttpProxy.Fault ofProxy) {
        this(title, 60_000_000, scene -> scene.proxy.become(ofProxy));
    }

    /** @param ahead seconds by which the agent's clock jumps */
    Fault(String title, long ahead) {
        this(
                title,
                60_000_000,
                scene -> scene.agent.clock(),
                scene -> scene.agent.clock().jump(ahead),
                scene -> scene.agent.assertAhead(ahead));
    }

    /** Until the agent waits for its disk. */
    private static void hangReads(FaultScenario scene) throws IOException {
        scene.agent.reads().hang(scene.from);
        await().until(scene.agent.reads()::wasMet);
    }

    /** Before there is anything; to be closed when all is over. */
    AutoCloseable prepare(FaultScenario scene) throws Exception {
        return preparation.of(scene);
    }

    /** Whether it comes before the first byte. */
    boolean atStart() {
        return this == BLOCK_DAMAGED || this == DISK_FULL;
    }

    void strike(FaultScenario scene) throws Exception {
        strike.at(scene);
    }

    /** After the build, before what it leaves is looked at. */
    void relieve(FaultScenario scene) throws Exception {
        relief.at(scene);
    }
}
