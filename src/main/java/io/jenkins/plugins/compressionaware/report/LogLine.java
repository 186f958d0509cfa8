package io.jenkins.plugins.compressionaware.report;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.adapt.Choice;
import io.jenkins.plugins.compressionaware.adapt.Reason;
import io.jenkins.plugins.compressionaware.adapt.Usage;
import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.send.SendReport;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The one line in the build log per transfer. Units are decimal: a MB is 10^6 bytes. */
public final class LogLine {
    private static final double MEGABYTE = 1e6;
    private static final double SECOND = 1e9;

    private LogLine() {}

    /** Of a transfer that was completed. */
    public static String of(TransferResult result) {
        double seconds = result.nanos() / SECOND;
        return Messages.LogLine_transferred(
                what(result.transfer()),
                result.received().entries(),
                bytes(result.rawBytes()),
                bytes(result.received().wireBytes()),
                way(result),
                number(seconds),
                number(result.rawBytes() / MEGABYTE / seconds));
    }

    /** The word that a line begins with. */
    static String what(Transfer transfer) {
        return switch (transfer.kind()) {
            case ARCHIVE -> Messages.LogLine_archive();
            case STASH -> Messages.LogLine_stash(transfer.stash());
            case UNSTASH -> Messages.LogLine_unstash(transfer.stash());
            case FETCH -> Messages.LogLine_fetch(transfer.stash());
        };
    }

    private static String way(TransferResult result) {
        String codecs = codecs(result.sent(), result.transfer().chosenBy());
        if (result.directBytes() == 0) {
            return result.lanes() <= 1 ? codecs : Messages.LogLine_lanes(codecs, result.lanes());
        }
        String direct = Messages.LogLine_direct(codecs, bytes(result.directBytes()), result.connections());
        return result.channelBytes() == 0 ? direct : Messages.LogLine_channel(direct, bytes(result.channelBytes()));
    }

    private static String codecs(SendReport sent, @CheckForNull String chosenBy) {
        if (sent.usages().isEmpty()) {
            return Messages.LogLine_asStored();
        }
        if (sent.reason() == null) {
            Choice choice = sent.usages().get(0).choice();
            return by(choice.codec() == Codec.NONE ? Codec.NONE.symbol() : choice.toString(), chosenBy);
        }
        return by("auto", chosenBy) + ": " + choices(sent.usages(), sent.reason());
    }

    private static String by(String codec, @CheckForNull String chosenBy) {
        return chosenBy == null ? codec : Messages.LogLine_chosen(codec, chosenBy);
    }

    /** What {@code auto} chose for how much of the bytes, most first, and why. Choices below half a percent are left out. */
    public static String choices(List<Usage> usages, Reason reason) {
        long total = usages.stream().mapToLong(Usage::rawBytes).sum();
        String shares = usages.stream()
                .filter(usage -> usage.rawBytes() * 200 >= total && usage.rawBytes() > 0)
                .sorted(Comparator.comparingLong(Usage::rawBytes).reversed())
                .map(usage ->
                        Messages.LogLine_share(Math.round(100.0 * usage.rawBytes() / total), name(usage.choice())))
                .collect(Collectors.joining(", "));
        return shares.isEmpty() ? Messages.LogLine_nothing() : shares + "; " + because(reason);
    }

    /** For people. */
    public static String name(Choice choice) {
        return choice.codec() == Codec.NONE ? Messages.LogLine_stored() : choice.toString();
    }

    private static String because(Reason reason) {
        return because(reason, Locale.ROOT);
    }

    /** What mattered most to {@code auto}. */
    public static String because(Reason reason, Locale locale) {
        String rate = Amounts.number(reason.bytesPerSecond() / MEGABYTE, locale);
        return switch (reason.limit()) {
            case READING -> Messages.LogLine_reading(rate);
            case COMPRESSION -> Messages.LogLine_compression(rate);
            case LINK -> Messages.LogLine_link(rate);
            case ROUND_TRIP -> Messages.LogLine_roundTrip(rate);
            case PROCESSORS -> Messages.LogLine_processors(rate);
            case NOTHING_MEASURED -> Messages.LogLine_nothingMeasured();
            case NOTHING_TO_COMPRESS -> Messages.LogLine_nothingToCompress();
            case TOO_LITTLE -> Messages.LogLine_tooLittle();
        };
    }

    /** Of files that were on the controller already. */
    public static String ofLocal(int files, long nanos) {
        return Messages.LogLine_local(files, number(nanos / SECOND));
    }

    /** Of files from an agent that is exempt. */
    public static String ofLeftToCore(int files, String agent, long nanos) {
        return Messages.LogLine_leftToCore(files, agent, number(nanos / SECOND));
    }

    /**
     * Of a transfer that an agent has not the right classes for.
     *
     * @param failure says which
     */
    public static String ofLackingClasses(Transfer transfer, Exception failure) {
        return oneLine(Messages.LogLine_lackingClasses(what(transfer), failure.getMessage()));
    }

    /** What an agent says, in one line whatever it is. */
    public static String oneLine(String said) {
        return said.replaceAll("\\p{Cntrl}+", " ");
    }

    private static String bytes(long bytes) {
        return Amounts.bytes(bytes, Locale.ROOT);
    }

    private static String number(double number) {
        return Amounts.number(number, Locale.ROOT);
    }
}
