package io.jenkins.plugins.compressionaware.report;

import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.stapler.export.Exported;
import org.kohsuke.stapler.export.ExportedBean;

/** Several transfers together. Files, bytes and times are those of completed ones; times are in milliseconds. Cannot be changed. */
@ExportedBean(defaultVisibility = 2)
@Restricted(NoExternalUse.class)
public final class Totals {
    public static final Totals NONE = new Totals(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    /** Completed or not. */
    @Exported
    public final long transfers;

    /** Failed or aborted. */
    @Exported
    public final long failed;

    @Exported
    public final long files;

    /** Of the files' contents. */
    @Exported
    public final long rawBytes;

    /** Of the frames. */
    @Exported
    public final long wireBytes;

    /** Of those that went over the direct lane. */
    @Exported
    public final long directBytes;

    /** Of all, one after the other. */
    @Exported
    public final long duration;

    /** CPU time of both ends, where both are known. */
    @Exported
    public final long cpu;

    /** Raw bytes of the transfers whose {@link #cpu} is known. */
    @Exported
    public final long cpuBytes;

    /** Transfers that the disk of the controller has limited, since it took long for each file. */
    @Exported
    public final long controllersDisk;

    /** Transfers that the disk of an agent has limited in this way. */
    @Exported
    public final long agentsDisk;

    /** Transfers whose agents were told what an earlier build has. */
    @Exported
    public final long asked;

    /** Raw bytes of those. */
    @Exported
    public final long askedBytes;

    /** Raw bytes that were not sent, since an earlier build had them. */
    @Exported
    public final long earlierBytes;

    /** Bytes of files that share the disk with those of an earlier build since theirs was over. */
    @Exported
    public final long sharedBytes;

    private Totals(
            long transfers,
            long failed,
            long files,
            long rawBytes,
            long wireBytes,
            long directBytes,
            long duration,
            long cpu,
            long cpuBytes,
            long controllersDisk,
            long agentsDisk,
            long asked,
            long askedBytes,
            long earlierBytes,
            long sharedBytes) {
        this.transfers = transfers;
        this.failed = failed;
        this.files = files;
        this.rawBytes = rawBytes;
        this.wireBytes = wireBytes;
        this.directBytes = directBytes;
        this.duration = duration;
        this.cpu = cpu;
        this.cpuBytes = cpuBytes;
        this.controllersDisk = controllersDisk;
        this.agentsDisk = agentsDisk;
        this.asked = asked;
        this.askedBytes = askedBytes;
        this.earlierBytes = earlierBytes;
        this.sharedBytes = sharedBytes;
    }

    /** Of no transfer. */
    public static Totals ofShared(long bytes) {
        return new Totals(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, bytes);
    }

    public static Totals of(TransferResult one) {
        if (one.outcome != TransferResult.Outcome.COMPLETED) {
            return new Totals(1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        }
        boolean cpuKnown = one.sendingCpu >= 0 && one.receivingCpu >= 0;
        return new Totals(
                1,
                0,
                one.files,
                one.rawBytes,
                one.wireBytes,
                one.directBytes,
                one.duration,
                cpuKnown ? one.sendingCpu + one.receivingCpu : 0,
                cpuKnown ? one.rawBytes : 0,
                one.isControllersDisk() ? 1 : 0,
                one.slowDisk && !one.isControllersDisk() ? 1 : 0,
                one.earlierBuild > 0 ? 1 : 0,
                one.earlierBuild > 0 ? one.rawBytes : 0,
                one.earlierBytes,
                0);
    }

    public Totals plus(Totals other) {
        return new Totals(
                sum(transfers, other.transfers),
                sum(failed, other.failed),
                sum(files, other.files),
                sum(rawBytes, other.rawBytes),
                sum(wireBytes, other.wireBytes),
                sum(directBytes, other.directBytes),
                sum(duration, other.duration),
                sum(cpu, other.cpu),
                sum(cpuBytes, other.cpuBytes),
                sum(controllersDisk, other.controllersDisk),
                sum(agentsDisk, other.agentsDisk),
                sum(asked, other.asked),
                sum(askedBytes, other.askedBytes),
                sum(earlierBytes, other.earlierBytes),
                sum(sharedBytes, other.sharedBytes));
    }

    private static long sum(long a, long b) {
        return a > Long.MAX_VALUE - b ? Long.MAX_VALUE : a + b;
    }
}
