package io.jenkins.plugins.compressionaware.pages;

import io.jenkins.plugins.compressionaware.report.SummedFigures;
import org.jvnet.localizer.LocaleProvider;

/** Several transfers as one row of a table, in the reader's language. */
public final class SumRow {
    private final SummedFigures sum;

    SumRow(SummedFigures sum) {
        this.sum = sum;
    }

    public int getTransfers() {
        return sum.transfers;
    }

    /** That were not completed. */
    public int getFailed() {
        return sum.failed;
    }

    public String getFiles() {
        return String.format(LocaleProvider.getLocale(), "%,d", sum.files);
    }

    public String getRaw() {
        return TransferRow.bytes(sum.rawBytes);
    }

    public String getWire() {
        return TransferRow.bytes(sum.wireBytes);
    }

    public String getRatio() {
        return TransferRow.ratio(sum.wireBytes, sum.rawBytes);
    }

    public String getSeconds() {
        return TransferRow.seconds(sum.duration);
    }

    public String getSpeed() {
        return TransferRow.speed(sum.rawBytes, sum.duration);
    }
}
