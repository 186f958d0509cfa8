package io.jenkins.plugins.compressionaware.report;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.adapt.AutoReport;
import io.jenkins.plugins.compressionaware.adapt.Choice;
import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.send.DirectReport;
import io.jenkins.plugins.compressionaware.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.send.SendReport;
import java.util.Locale;

/** The one line in the build log per archive call. Units are decimal: a MB is 10^6 bytes. */
public record Summary(SendReport sent, ReceiveReport received, int lanes) {
    private static final double MEGABYTE = 1e6;
    private static final double SECOND = 1e9;

    /**
     * @param nanos    duration of the call, nanoseconds
     * @param chosenBy who has chosen the codec; null if it is the global choice
     */
    public String describe(long nanos, @CheckForNull String chosenBy) {
        double seconds = nanos / SECOND;
        String way = way();
        return Messages.Summary_transferred(
                received.entries(),
                bytes(received.contentBytes()),
                bytes(received.wireBytes()),
                chosenBy == null ? way : Messages.Summary_chosen(way, chosenBy),
                number(seconds),
                number(received.contentBytes() / MEGABYTE / seconds));
    }

    private String way() {
        DirectReport direct = sent.direct();
        if (direct != null && direct.wireBytes() > 0) {
            return Messages.Summary_direct(codecs(), direct.connections());
        }
        return lanes == 1 ? codecs() : Messages.Summary_lanes(codecs(), lanes);
    }

    private String codecs() {
        if (sent.reason() == null) {
            Choice choice = sent.usages().get(0).choice();
            return choice.codec() == Codec.NONE ? Codec.NONE.symbol() : choice.toString();
        }
        return Messages.Summary_auto(new AutoReport(sent.usages(), sent.reason(), 0).describe());
    }

    public static String describeLocal(int files, long nanos) {
        return Messages.Summary_local(files, number(nanos / SECOND));
    }

    public static String describeLeftToCore(int files, String agent, long nanos) {
        return Messages.Summary_leftToCore(files, agent, number(nanos / SECOND));
    }

    private static String bytes(long bytes) {
        String[] units = {"B", "kB", "MB", "GB", "TB"};
        double amount = bytes;
        int unit = 0;
        while (amount >= 1000 && unit < units.length - 1) {
            amount /= 1000;
            unit++;
        }
        return (unit == 0 ? Long.toString(bytes) : number(amount)) + " " + units[unit];
    }

    private static String number(double number) {
        return String.format(Locale.ROOT, number < 10 ? "%.2f" : "%.1f", number);
    }
}
