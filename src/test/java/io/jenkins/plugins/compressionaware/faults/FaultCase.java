package io.jenkins.plugins.compressionaware.faults;

import hudson.model.Result;
import io.jenkins.plugins.compressionaware.report.TransferResult.Outcome;

/**
 * A fault that comes to an operation on one way.
 *
 * @param outcome of the transfer
 * @param says    part of the build log, with {failed} for {@link Operation#failed}; empty if it says nothing of the fault
 */
record FaultCase(Fault fault, Operation operation, Way way, Outcome outcome, String says) {
    /** Of the build. */
    Result result() {
        return switch (outcome) {
            case COMPLETED -> Result.SUCCESS;
            case ABORTED -> Result.ABORTED;
            default -> isLeft() ? Result.SUCCESS : Result.FAILURE;
        };
    }

    /** Whether copyartifact then does it. */
    boolean isLeft() {
        return says.startsWith("copied by the Copy Artifact plugin instead");
    }

    @Override
    public String toString() {
        return operation + ", " + fault.title + ", " + way.title;
    }
}
