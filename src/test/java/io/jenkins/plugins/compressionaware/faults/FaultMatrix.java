package io.jenkins.plugins.compressionaware.faults;

import io.jenkins.plugins.compressionaware.report.TransferResult.Outcome;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Lists the faults that are tested with each operation, and the expected outcome. */
final class FaultMatrix {
    private static final Set<Operation> ALL = EnumSet.allOf(Operation.class);
    private static final Set<TransportKind> CHANNELS =
            EnumSet.of(TransportKind.TCP, TransportKind.WEBSOCKET, TransportKind.SSH, TransportKind.DIRECT);
    private static final Set<TransportKind> WAYS =
            EnumSet.of(TransportKind.TCP, TransportKind.WEBSOCKET, TransportKind.DIRECT);

    private FaultMatrix() {}

    /** @param says see {@link FaultCase} */
    record Row(Fault fault, Set<Operation> operations, Set<TransportKind> ways, Outcome outcome, String says) {
        Stream<FaultCase> cells() {
            return operations.stream()
                    .flatMap(
                            operation -> ways.stream().map(way -> new FaultCase(fault, operation, way, outcome, says)));
        }
    }

    private static final Set<Operation> FROM_AGENT = EnumSet.of(Operation.ARCHIVE, Operation.PACK, Operation.STASH);
    private static final Set<Operation> TO_AGENT = EnumSet.of(Operation.UNSTASH, Operation.FETCH);
    private static final Set<Operation> ARCHIVE = EnumSet.of(Operation.ARCHIVE);
    private static final Set<Operation> PACK = EnumSet.of(Operation.PACK);
    private static final Set<Operation> STASH = EnumSet.of(Operation.STASH);
    private static final Set<Operation> UNSTASH = EnumSet.of(Operation.UNSTASH);
    private static final Set<Operation> FETCH = EnumSet.of(Operation.FETCH);
    private static final Set<TransportKind> PROXY = EnumSet.of(TransportKind.PROXY);
    private static final String LOST = "{failed}the connection to the agent was lost";
    private static final String FULL = "Cannot write large: No space left on device";
    private static final String CHANGED = "Cannot read large as it was: it has changed";
    private static final String DAMAGED = "The stash is damaged on the controller's disk.";
    private static final String LEFT = "copied by the Copy Artifact plugin instead. ";

    static final List<Row> ROWS = List.of(
            new Row(Fault.AGENT_KILLED, ALL, CHANNELS, Outcome.DISCONNECTED, LOST),
            new Row(Fault.AGENT_SUSPENDED, ALL, CHANNELS, Outcome.COMPLETED, ""),
            new Row(Fault.CHANNEL_CLOSED, ALL, CHANNELS, Outcome.DISCONNECTED, LOST),
            new Row(Fault.BUILD_ABORTED, ALL, CHANNELS, Outcome.ABORTED, ""),
            new Row(Fault.ABORTED_WHILE_SUSPENDED, ALL, CHANNELS, Outcome.ABORTED, ""),
            failed(Fault.FILE_SHRINKS, FROM_AGENT, "{failed}Cannot archive {from}/large: it shrank from "),
            failed(Fault.FILE_SHRINKS, UNSTASH, "/x.tar.zst is cut short"),
            failed(Fault.FILE_SHRINKS, FETCH, LEFT + CHANGED),
            new Row(Fault.FILE_GROWS, FROM_AGENT, WAYS, Outcome.COMPLETED, ""),
            new Row(Fault.FILE_GROWS, UNSTASH, WAYS, Outcome.COMPLETED, ""),
            failed(Fault.FILE_GROWS, FETCH, LEFT + CHANGED),
            new Row(Fault.FILE_DELETED, FROM_AGENT, WAYS, Outcome.COMPLETED, ""),
            new Row(Fault.FILE_DELETED, UNSTASH, WAYS, Outcome.COMPLETED, ""),
            failed(Fault.FILE_DELETED, FETCH, LEFT + "Cannot read large: there is no such file"),
            failed(Fault.NEXT_FILE_DELETED, FROM_AGENT, "{failed}Cannot archive z: there is no such file"),
            failed(Fault.NEXT_FILE_DELETED, FETCH, LEFT + "Cannot read z: there is no such file"),
            new Row(Fault.BLOCK_DAMAGED, UNSTASH, WAYS, Outcome.DAMAGED, DAMAGED),
            failed(Fault.DISK_FULL, ARCHIVE, "{failed}" + FULL + " (on the controller)"),
            failed(Fault.DISK_FULL, PACK, "/builds/1/archive: No space left on device (on the controller)"),
            failed(Fault.DISK_FULL, STASH, "/stashes/x.tar.zst: No space left on device (on the controller)"),
            failed(Fault.DISK_FULL, TO_AGENT, "{failed}" + FULL),
            new Row(Fault.DISK_FREEZES, ALL, WAYS, Outcome.COMPLETED, ""),
            new Row(
                    Fault.ABORTED_WHILE_FROZEN,
                    ALL,
                    EnumSet.of(TransportKind.TCP, TransportKind.DIRECT),
                    Outcome.ABORTED,
                    ""),
            new Row(Fault.ABORTED_WHILE_PACKING, TO_AGENT, EnumSet.of(TransportKind.TCP), Outcome.ABORTED, ""),
            new Row(Fault.READ_HANGS, FROM_AGENT, PROXY, Outcome.COMPLETED, ""),
            new Row(Fault.ABORTED_WHILE_READ_HANGS, FROM_AGENT, PROXY, Outcome.ABORTED, ""),
            new Row(Fault.CLOCK_FORWARD, ALL, PROXY, Outcome.COMPLETED, ""),
            new Row(Fault.CLOCK_BACK, ALL, PROXY, Outcome.COMPLETED, ""),
            failed(Fault.NOT_WRITABLE, ARCHIVE, "/builds/1/archive: small could not be moved: Operation not permitted"),
            failed(Fault.NOT_WRITABLE, TO_AGENT, "{failed}Cannot write z: Operation not permitted"),
            // streams may have transferred everything before enough requests have failed
            new Row(Fault.PROXY_DIES, ALL, PROXY, Outcome.COMPLETED, ""),
            new Row(Fault.PROXY_LOSES_ANSWERS, ALL, PROXY, Outcome.COMPLETED, ""),
            new Row(Fault.PROXY_IS_SILENT, ALL, PROXY, Outcome.COMPLETED, ""),
            new Row(Fault.PROXY_HAS_NO_SERVER, ALL, PROXY, Outcome.COMPLETED, ""),
            new Row(Fault.PROXY_ANSWERS_ITSELF, ALL, PROXY, Outcome.COMPLETED, ""));

    private static Row failed(Fault fault, Set<Operation> operations, String says) {
        return new Row(fault, operations, WAYS, Outcome.FAILED, says);
    }

    static List<FaultCase> cells() {
        return ROWS.stream().flatMap(Row::cells).toList();
    }
}
