package io.jenkins.plugins.compressionaware.faults;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.jenkins.plugins.compressionaware.testing.FaultyHttpProxy;
import io.jenkins.plugins.compressionaware.testing.MountedFileSystem;
import io.jenkins.plugins.compressionaware.testing.SparseFile;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;

/** A fault that strikes a transfer, by default after some of its bytes were sent. */
enum Fault {
    AGENT_KILLED("the agent's process is killed", 200_000_000, scenario -> scenario.agent.kill()),
    AGENT_SUSPENDED("the agent's process is suspended for a second", 60_000_000, scenario -> {
        scenario.agent.signal("STOP");
        TimeUnit.SECONDS.sleep(1);
        scenario.agent.signal("CONT");
    }),
    CHANNEL_CLOSED(
            "the agent connection is closed",
            200_000_000,
            scenario -> scenario.agent.channel().close()),
    BUILD_ABORTED("the build is aborted", 200_000_000, scenario -> scenario.build.doStop()),
    ABORTED_WHILE_SUSPENDED(
            "the build is aborted while the agent's process is suspended",
            200_000_000,
            scenario -> () -> {},
            scenario -> {
                scenario.agent.signal("STOP");
                scenario.build.doStop();
            },
            scenario -> scenario.agent.signal("CONT")),
    FILE_SHRINKS("the source file shrinks", 200_000_000, scenario -> SparseFile.ofLength(scenario.readFile(), 1000)),
    FILE_GROWS(
            "the source file grows",
            60_000_000,
            scenario -> Files.write(scenario.readFile(), new byte[1000], StandardOpenOption.APPEND)),
    FILE_DELETED("the source file is deleted", 60_000_000, scenario -> Files.delete(scenario.readFile())),
    NEXT_FILE_DELETED(
            "a file is deleted before it is read", 120_000_000, scenario -> Files.delete(scenario.from.resolve("z"))),
    BLOCK_DAMAGED("a stored byte is corrupted", 60_000_000, scenario -> {
        try (RandomAccessFile file = new RandomAccessFile(scenario.readFile().toFile(), "rw")) {
            file.seek(scenario.large().toFile().length() / 2);
            int b = file.read();
            file.seek(file.getFilePointer() - 1);
            file.write(b ^ 1);
        }
    }),
    DISK_FULL(
            "the destination disk is full",
            60_000_000,
            scenario -> MountedFileSystem.small(scenario.mountPoint(), 8),
            scenario -> {},
            scenario -> {}),
    DISK_FREEZES(
            "the destination disk freezes for a second",
            60_000_000,
            FaultScenario::mountFreezingDisk,
            scenario -> {
                scenario.freezing.freeze();
                TimeUnit.SECONDS.sleep(1);
                scenario.freezing.thaw();
            },
            scenario -> {}),
    ABORTED_WHILE_FROZEN(
            "the build is aborted while the destination disk is frozen",
            200_000_000,
            FaultScenario::mountFreezingDiskForFiles,
            scenario -> {
                scenario.freezing.freeze();
                scenario.build.doStop();
            },
            scenario -> scenario.freezing.thaw()),
    ABORTED_WHILE_PACKING(
            "the build is aborted while the disk of the packed copies is frozen",
            200_000_000,
            FaultScenario::mountFreezingDiskForCopies,
            scenario -> {
                scenario.freezing.freeze();
                scenario.abortWhilePacking();
            },
            scenario -> scenario.freezing.thaw()),
    READ_HANGS(
            "a read from the agent's disk hangs for a second",
            60_000_000,
            scenario -> scenario.agent.reads(),
            scenario -> {
                hangReads(scenario);
                TimeUnit.SECONDS.sleep(1);
                scenario.agent.reads().close();
            },
            scenario -> {}),
    ABORTED_WHILE_READ_HANGS(
            "the build is aborted while a read from the agent's disk hangs",
            200_000_000,
            scenario -> scenario.agent.reads(),
            scenario -> {
                hangReads(scenario);
                scenario.build.doStop();
            },
            scenario -> scenario.agent.reads().close()),
    CLOCK_FORWARD("the agent's clock jumps three days forward", TimeUnit.DAYS.toSeconds(3)),
    CLOCK_BACK("the agent's clock jumps three days back", -TimeUnit.DAYS.toSeconds(3)),
    NOT_WRITABLE(
            "the destination folder becomes immutable",
            60_000_000,
            scenario -> {
                Path folder = Files.createDirectories(scenario.to);
                assumeTrue(
                        FaultScenario.setChangeable(folder, false) && FaultScenario.setChangeable(folder, true),
                        "Untested: an immutable folder needs root and ext4");
                return () -> FaultScenario.setChangeable(scenario.target(), true);
            },
            scenario -> {
                scenario.awaitFirstFile();
                FaultScenario.setChangeable(scenario.target(), false);
            },
            scenario -> {}),
    PROXY_DIES("a proxy closes all connections in the middle of a request", FaultyHttpProxy.Fault.DIES_HALFWAY),
    PROXY_LOSES_ANSWERS("a proxy loses all responses", FaultyHttpProxy.Fault.RECEIPT_LOST),
    PROXY_IS_SILENT("a proxy does not respond", FaultyHttpProxy.Fault.UNANSWERED),
    PROXY_HAS_NO_SERVER("a proxy responds with 502", FaultyHttpProxy.Fault.BAD_GATEWAY),
    PROXY_ANSWERS_ITSELF("a proxy responds with its own page", FaultyHttpProxy.Fault.OK_OF_SOMETHING_ELSE);

    final String title;

    /** Bytes of the file {@code large}. */
    final int size;

    private final Preparation preparation;
    private final Strike strike;
    private final Strike relief;

    private interface Preparation {
        AutoCloseable of(FaultScenario scenario) throws Exception;
    }

    private interface Strike {
        void at(FaultScenario scenario) throws Exception;
    }

    Fault(String title, int size, Strike strike) {
        this(title, size, scenario -> () -> {}, strike, scenario -> {});
    }

    Fault(String title, int size, Preparation preparation, Strike strike, Strike relief) {
        this.title = title;
        this.size = size;
        this.preparation = preparation;
        this.strike = strike;
        this.relief = relief;
    }

    Fault(String title, FaultyHttpProxy.Fault ofProxy) {
        this(title, 60_000_000, scenario -> scenario.proxy.become(ofProxy));
    }

    /** @param ahead seconds by which the agent's clock jumps */
    Fault(String title, long ahead) {
        this(
                title,
                60_000_000,
                scenario -> scenario.agent.clock(),
                scenario -> scenario.agent.clock().jump(ahead),
                scenario -> scenario.agent.assertAhead(ahead));
    }

    /** Hangs reads, and waits until the agent is blocked. */
    private static void hangReads(FaultScenario scenario) throws IOException {
        scenario.agent.reads().hang(scenario.from);
        await().until(scenario.agent.reads()::wasMet);
    }

    /** Prepares the fault before the scenario creates files. The caller closes the result at the end. */
    AutoCloseable prepare(FaultScenario scenario) throws Exception {
        return preparation.of(scenario);
    }

    /** Returns whether the fault strikes before the first byte is sent. */
    boolean atStart() {
        return this == BLOCK_DAMAGED || this == DISK_FULL || this == ABORTED_WHILE_PACKING;
    }

    void strike(FaultScenario scenario) throws Exception {
        strike.at(scenario);
    }

    /** Ends the fault after the build, before the test checks what remains. */
    void relieve(FaultScenario scenario) throws Exception {
        relief.at(scenario);
    }
}
