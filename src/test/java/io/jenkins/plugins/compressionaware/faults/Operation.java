package io.jenkins.plugins.compressionaware.faults;

import io.jenkins.plugins.compressionaware.report.TransferInfo;

/** The operation of a build that the fault strikes. */
enum Operation {
    ARCHIVE(TransferInfo.Operation.ARCHIVE, Operation.ARCHIVE_FAILED, Operation.TWO_ARCHIVES),

    /** Archives with packed storage. */
    PACK(TransferInfo.Operation.ARCHIVE, Operation.ARCHIVE_FAILED, Operation.TWO_ARCHIVES),
    STASH(TransferInfo.Operation.STASH, "The stash x could not be created from {from} on {agent}: ", """
        node('{agent}') { ws('{from}') {
            stash name: 'x', includes: 'small'
            stash 'x'
        } }
        """),
    UNSTASH(TransferInfo.Operation.UNSTASH, "The stash x could not be unpacked in {to} on {agent}: ", """
        node('{agent}') {
            ws('{from}') { stash 'x' }
            ws('{to}') { unstash 'x' }
        }
        """),
    FETCH(
            TransferInfo.Operation.FETCH,
            "The artifacts of {job}-source #1 could not be fetched to {to} on {agent}: ",
            """
            node('{agent}') { ws('{to}') { fetchArtifacts '{job}-source' } }
            """);

    private static final String ARCHIVE_FAILED = "Archiving from {from} on {agent} failed: ";
    private static final String TWO_ARCHIVES = """
        node('{agent}') { ws('{from}') {
            archiveArtifacts 'small'
            archiveArtifacts '**'
        } }
        """;

    final TransferInfo.Operation operation;

    /** Start of the error message, before the cause. */
    final String failed;

    final String script;

    Operation(TransferInfo.Operation operation, String failed, String script) {
        this.operation = operation;
        this.failed = failed;
        this.script = script;
    }

    /** Returns whether the agent receives the files. */
    boolean toAgent() {
        return this == UNSTASH || this == FETCH;
    }
}
