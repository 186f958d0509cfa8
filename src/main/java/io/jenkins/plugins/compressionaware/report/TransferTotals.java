package io.jenkins.plugins.compressionaware.report;

import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.stapler.export.Exported;
import org.kohsuke.stapler.export.ExportedBean;

/** Totals of several transfers. Files, bytes and times (milliseconds) include only completed transfers. Immutable. */
@ExportedBean(defaultVisibility = 2)
@Restricted(NoExternalUse.class)
public final class TransferTotals {
    public static final TransferTotals NONE = new TransferTotals(0);

    /** Number of transfers, including failed ones. */
    @Exported
    public final long transfers;

    /** Failed or aborted transfers. */
    @Exported
    public final long failed;

    @Exported
    public final long files;

    /** Bytes of the files' contents. */
    @Exported
    public final long rawBytes;

    /** Bytes of the frames. */
    @Exported
    public final long wireBytes;

    /** Wire bytes transferred over the direct lane. */
    @Exported
    public final long directBytes;

    @Exported
    public final long duration;

    /** CPU time of both ends, of transfers with two known CPU times. */
    @Exported
    public final long cpu;

    /** Raw bytes of the transfers whose {@link #cpu} is known. */
    @Exported
    public final long cpuBytes;

    /** Transfers limited by a slow disk of the controller. */
    @Exported
    public final long controllerDiskBound;

    /** Transfers limited by a slow disk of an agent. */
    @Exported
    public final long agentDiskBound;

    /** Transfers whose agents received the signature of a reference build. */
    @Exported
    public final long deltaTransfers;

    @Exported
    public final long deltaRawBytes;

    /** Raw bytes reused from a reference build. */
    @Exported
    public final long reusedBytes;

    /** Bytes of files that were deduplicated on the disk. */
    @Exported
    public final long deduplicatedBytes;

    TransferTotals(long deduplicatedBytes) {
        transfers = failed = files = rawBytes = wireBytes = directBytes = duration = cpu = cpuBytes = 0;
        controllerDiskBound = agentDiskBound = deltaTransfers = deltaRawBytes = reusedBytes = 0;
        this.deduplicatedBytes = deduplicatedBytes;
    }

    public TransferTotals(TransferResult one) {
        boolean completed = one.outcome == TransferResult.Outcome.COMPLETED;
        boolean deltaAttempted = completed && one.referenceBuild > 0;
        transfers = 1;
        failed = completed ? 0 : 1;
        files = completed ? one.files : 0;
        rawBytes = one.rawBytes;
        wireBytes = completed ? one.wireBytes : 0;
        directBytes = completed ? one.directBytes : 0;
        duration = completed ? one.duration : 0;
        boolean cpuKnown = one.sendingCpu >= 0 && one.receivingCpu >= 0;
        cpu = cpuKnown ? one.sendingCpu + one.receivingCpu : 0;
        cpuBytes = cpuKnown ? one.rawBytes : 0;
        controllerDiskBound = one.diskBound && one.bottleneck == Bottleneck.CONTROLLERS_DISK ? 1 : 0;
        agentDiskBound = one.diskBound && one.bottleneck == Bottleneck.AGENTS_DISK ? 1 : 0;
        deltaTransfers = deltaAttempted ? 1 : 0;
        deltaRawBytes = deltaAttempted ? one.rawBytes : 0;
        reusedBytes = one.reusedBytes;
        deduplicatedBytes = 0;
    }

    private TransferTotals(TransferTotals a, TransferTotals b) {
        transfers = sum(a.transfers, b.transfers);
        failed = sum(a.failed, b.failed);
        files = sum(a.files, b.files);
        rawBytes = sum(a.rawBytes, b.rawBytes);
        wireBytes = sum(a.wireBytes, b.wireBytes);
        directBytes = sum(a.directBytes, b.directBytes);
        duration = sum(a.duration, b.duration);
        cpu = sum(a.cpu, b.cpu);
        cpuBytes = sum(a.cpuBytes, b.cpuBytes);
        controllerDiskBound = sum(a.controllerDiskBound, b.controllerDiskBound);
        agentDiskBound = sum(a.agentDiskBound, b.agentDiskBound);
        deltaTransfers = sum(a.deltaTransfers, b.deltaTransfers);
        deltaRawBytes = sum(a.deltaRawBytes, b.deltaRawBytes);
        reusedBytes = sum(a.reusedBytes, b.reusedBytes);
        deduplicatedBytes = sum(a.deduplicatedBytes, b.deduplicatedBytes);
    }

    public TransferTotals plus(TransferTotals other) {
        return new TransferTotals(this, other);
    }

    private static long sum(long a, long b) {
        return a > Long.MAX_VALUE - b ? Long.MAX_VALUE : a + b;
    }
}
