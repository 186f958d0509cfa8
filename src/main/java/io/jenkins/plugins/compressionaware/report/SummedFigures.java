package io.jenkins.plugins.compressionaware.report;

import java.io.Serializable;
import org.kohsuke.stapler.export.Exported;
import org.kohsuke.stapler.export.ExportedBean;

/** Several transfers in one. Files, bytes and times are those of completed ones. */
@ExportedBean(defaultVisibility = 2)
public final class SummedFigures implements Serializable {
    private static final long serialVersionUID = 1;

    static final SummedFigures NONE = new SummedFigures(0, 0, 0, 0, 0, 0);

    /** Completed or not. */
    @Exported
    public final int transfers;

    /** That were not completed. */
    @Exported
    public final int failed;

    @Exported
    public final long files;

    @Exported
    public final long rawBytes;

    @Exported
    public final long wireBytes;

    /** Of all, one after the other, milliseconds. */
    @Exported
    public final long duration;

    private SummedFigures(int transfers, int failed, long files, long rawBytes, long wireBytes, long duration) {
        this.transfers = transfers;
        this.failed = failed;
        this.files = files;
        this.rawBytes = rawBytes;
        this.wireBytes = wireBytes;
        this.duration = duration;
    }

    SummedFigures plus(TransferFigures one) {
        if (one.outcome != TransferFigures.Outcome.COMPLETED) {
            return new SummedFigures(transfers + 1, failed + 1, files, rawBytes, wireBytes, duration);
        }
        return new SummedFigures(
                transfers + 1,
                failed,
                files + one.files,
                rawBytes + one.rawBytes,
                wireBytes + one.wireBytes,
                duration + one.duration);
    }
}
