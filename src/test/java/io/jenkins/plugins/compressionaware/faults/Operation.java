package io.jenkins.plugins.compressionaware.faults;

import io.jenkins.plugins.compressionaware.report.TransferInfo;

/** What a build does when the fault comes. */
enum Operation {
    ARCHIVE(TransferInfo.Operation.ARCHIVE, "Archiving from {from} on {agent} failed: ", """
            node('{agent}') { ws('{from}') {
                archiveArtifacts 'small'
                archiveArtifacts '**'
            } }
            """),
    STASH(TransferInfo.Operation.STASH, "The stash x could not be made from {from} on {agent}: ", """
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

    final TransferInfo.Operation kind;

    /** Before the cause. */
    final String failed;

    final String script;

    Operation(TransferInfo.Operation kind, String failed, String script) {
        this.kind = kind;
        this.failed = failed;
        this.script = script;
    }

    /** Whether files come to the agent. */
    boolean toAgent() {
        return this == UNSTASH || this == FETCH;
    }
}
