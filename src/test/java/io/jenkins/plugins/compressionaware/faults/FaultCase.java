package io.jenkins.plugins.compressionaware.faults;

import hudson.model.Result;
import io.jenkins.plugins.compressionaware.report.TransferResult.Outcome;

/**
 * One fault in one operation over one transport.
 *
 * @param outcome of the transfer
 * @param says expected part of the build log, with {failed} for {@link Operation#failed}; empty if the fault is not logged
 */
record FaultCase(Fault fault, Operation operation, TransportKind way, Outcome outcome, String says) {
    /** Returns the expected result of the build. */
    Result result() {
        return switch (outcome) {
            case COMPLETED -> Result.SUCCESS;
            case ABORTED -> Result.ABORTED;
            default -> isCopiedInstead() ? Result.SUCCESS : Result.FAILURE;
        };
    }

    /** Returns whether the Copy Artifact plugin then copies the files. */
    boolean isCopiedInstead() {
        return says.startsWith("copied by the Copy Artifact plugin instead");
    }

    @Override
    public String toString() {
        return operation + ", " + fault.title + ", " + way.title;
    }
}
