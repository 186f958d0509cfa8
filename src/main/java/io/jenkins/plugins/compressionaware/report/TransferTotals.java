package io.jenkins.plugins.compressionaware.report;

import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.List;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.stapler.export.Exported;
import org.kohsuke.stapler.export.ExportedBean;

/** Totals of several transfers. Files, bytes and times (milliseconds) include only completed transfers. Not modified after their creation. */
@ExportedBean(defaultVisibility = 2)
@Restricted(NoExternalUse.class)
public final class TransferTotals {
    public static final TransferTotals NONE = new TransferTotals(0);

    private static final List<Field> TOTALS = Arrays.stream(TransferTotals.class.getFields())
            .filter(field -> field.getType() == long.class)
            .toList();

    /** Number of transfers, including failed ones. */
    @Exported
    public long transfers;

    /** Failed or aborted transfers. */
    @Exported
    public long failed;

    /** Completed transfers whose connection to the agent was lost in between. */
    @Exported
    public long resumed;

    @Exported
    public long files;

    /** Bytes of the files' contents. */
    @Exported
    public long rawBytes;

    /** Bytes of the frames. */
    @Exported
    public long wireBytes;

    /** Wire bytes transferred over the direct lane. */
    @Exported
    public long directBytes;

    @Exported
    public long duration;

    /** CPU time of both ends, of transfers with two known CPU times. */
    @Exported
    public long cpu;

    /** Raw bytes of the transfers whose {@link #cpu} is known. */
    @Exported
    public long cpuBytes;

    /** Transfers limited by a slow disk of the controller. */
    @Exported
    public long controllerDiskBound;

    /** Transfers limited by a slow disk of an agent. */
    @Exported
    public long agentDiskBound;

    /** Transfers whose agents received the signature of a reference build. */
    @Exported(name = "reuseTransfers")
    public long deltaTransfers;

    @Exported(name = "reuseRawBytes")
    public long deltaRawBytes;

    /** Raw bytes reused from a reference build. */
    @Exported
    public long reusedBytes;

    /** Bytes that packed archives are smaller than their files; 0 instead of a negative number. */
    @Exported
    public long packedBytes;

    /** Bytes of files that were deduplicated on the disk. */
    @Exported
    public long deduplicatedBytes;

    TransferTotals(long deduplicatedBytes) {
        this.deduplicatedBytes = deduplicatedBytes;
    }

    public TransferTotals(TransferResult one) {
        transfers = 1;
        rawBytes = one.rawBytes;
        reusedBytes = one.reusedBytes;
        controllerDiskBound = one.diskBound && one.bottleneck == Bottleneck.CONTROLLERS_DISK ? 1 : 0;
        agentDiskBound = one.diskBound && one.bottleneck == Bottleneck.AGENTS_DISK ? 1 : 0;
        if (one.sendingCpu >= 0 && one.receivingCpu >= 0) {
            cpu = one.sendingCpu + one.receivingCpu;
            cpuBytes = one.rawBytes;
        }
        if (one.outcome != TransferResult.Outcome.COMPLETED) {
            failed = 1;
            return;
        }
        resumed = one.interruptions > 0 ? 1 : 0;
        files = one.files;
        wireBytes = one.wireBytes;
        directBytes = one.directBytes;
        duration = one.duration;
        packedBytes = one.storedBytes == 0 ? 0 : Math.max(0, one.rawBytes - one.storedBytes);
        if (one.referenceBuild > 0) {
            deltaTransfers = 1;
            deltaRawBytes = one.rawBytes;
        }
    }

    public TransferTotals plus(TransferTotals other) {
        TransferTotals sum = new TransferTotals(0);
        try {
            for (Field total : TOTALS) {
                long a = total.getLong(this);
                long b = total.getLong(other);
                total.setLong(sum, a > Long.MAX_VALUE - b ? Long.MAX_VALUE : a + b);
            }
        } catch (IllegalAccessException e) { // the fields are public
            throw new IllegalStateException(e);
        }
        return sum;
    }
}
