package io.jenkins.plugins.compressionaware.report;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.tar.LandingWarning;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Makes the one line per transfer in the build log, and the wording that it shares with the pages. */
@Restricted(NoExternalUse.class)
public final class LogLine {
    /** Longest text of an agent that is kept, characters. */
    private static final int LONGEST = 1000;

    private LogLine() {}

    /** The line for a completed transfer. */
    public static String of(TransferResult result) {
        String way = way(result, Formats.LOG);
        String codecs = codecs(result, Formats.LOG);
        return Messages.LogLine_transferred(
                what(result.kind, result.stash),
                result.files,
                bytes(result.rawBytes),
                bytes(result.wireBytes),
                way.isEmpty() ? codecs : codecs + ", " + way,
                seconds(result.duration),
                Formats.LOG.number(result.rawBytes / 1e3 / result.duration),
                earlier(result));
    }

    /** The share that did not travel; empty if everything did. */
    private static String earlier(TransferResult result) {
        return result.earlierBytes == 0
                ? ""
                : Messages.LogLine_earlier(bytes(result.earlierBytes), String.valueOf(result.earlierBuild));
    }

    static String what(Transfer transfer) {
        return what(transfer.kind(), transfer.stash());
    }

    static String what(Transfer.Kind kind, @CheckForNull String stash) {
        return switch (kind) {
            case ARCHIVE -> Messages.LogLine_archive();
            case STASH -> Messages.LogLine_stash(stash);
            case UNSTASH -> Messages.LogLine_unstash(stash);
            case FETCH -> Messages.LogLine_fetch(stash);
        };
    }

    /** The lanes that were used; empty for a single stream over the channel. */
    public static String way(TransferResult result, Formats formats) {
        if (result.directBytes == 0) {
            return result.lanes <= 1 ? "" : Messages.LogLine_lanes(result.lanes);
        }
        String direct = Messages.LogLine_direct(formats.bytes(result.directBytes), result.connections);
        return result.channelBytes == 0
                ? direct
                : direct + ", " + Messages.LogLine_channel(formats.bytes(result.channelBytes));
    }

    /** The codecs of a completed transfer, and the reason for them. */
    public static String codecs(TransferResult result, Formats formats) {
        String writing = result.writers == 0 ? "" : ", " + writing(result);
        if (result.limit != null) {
            String auto = chosen("auto", result.chosenBy) + ": ";
            return auto
                    + (result.codecs.isEmpty()
                            ? Messages.LogLine_nothing()
                            : shares(result.codecs) + (writing.isEmpty() ? ", " + limit(result, formats) : writing));
        }
        return (result.codecs.isEmpty()
                        ? Messages.LogLine_asStored()
                        : chosen(result.codecs.get(0).name(), result.chosenBy))
                + writing;
    }

    /** The slow disk for which the transfer waited, whatever limited {@code auto}. */
    private static String writing(TransferResult result) {
        long perSecond = Math.round(1e3 * result.files / Math.max(1, Objects.requireNonNull(result.busy).writing));
        return result.isControllersDisk()
                ? Messages.LogLine_controllersDisk(perSecond, result.writers)
                : Messages.LogLine_agentsDisk(perSecond, result.writers);
    }

    private static String chosen(String codec, @CheckForNull String chosenBy) {
        return chosenBy == null ? codec : Messages.LogLine_chosen(codec, chosenBy);
    }

    /** Codecs with most bytes first, without those below half a percent. */
    private static String shares(List<CodecShare> codecs) {
        long all = codecs.stream().mapToLong(codec -> codec.rawBytes).sum();
        return codecs.stream()
                .filter(codec -> codec.rawBytes * 200.0 >= all)
                .map(codec -> Messages.LogLine_share(
                        Math.round(100.0 * codec.rawBytes / all),
                        codec.codec.equals(Codec.NONE.symbol()) ? Messages.LogLine_stored() : codec.name()))
                .collect(Collectors.joining(", "));
    }

    /** The limit that mattered most to {@code auto}. */
    private static String limit(TransferResult result, Formats formats) {
        String rate = formats.number(result.limitRate / 1e6);
        return switch (Objects.requireNonNull(result.limit)) {
            case READING -> Messages.LogLine_reading(rate);
            case COMPRESSION -> Messages.LogLine_compression(rate);
            case LINK -> Messages.LogLine_link(rate);
            case ROUND_TRIP -> Messages.LogLine_roundTrip(rate);
            case PROCESSORS -> Messages.LogLine_processors(rate);
            case NOTHING_MEASURED -> Messages.LogLine_nothingMeasured();
        };
    }

    /** The line for files that were already on the controller. */
    public static String ofLocal(int files, long nanos) {
        return Messages.LogLine_local(files, seconds(nanos / 1_000_000));
    }

    /** The line for files from an excluded agent. */
    public static String ofLeftToCore(int files, String agent, long nanos) {
        return Messages.LogLine_leftToCore(files, agent, seconds(nanos / 1_000_000));
    }

    /**
     * The line for a transfer for which the agent lacks the right classes.
     *
     * @param failure says which
     */
    public static String ofLackingClasses(Transfer transfer, Exception failure) {
        return Messages.LogLine_lackingClasses(what(transfer), oneLine(failure.getMessage()));
    }

    public static String of(LandingWarning warning) {
        return oneLine(
                switch (warning.kind()) {
                    case LINK_LEFT_OUT ->
                        Messages.LogLine_linkLeftOut(warning.count(), warning.name(), warning.reason());
                    case FOLDER_KEPT -> Messages.LogLine_folderKept(warning.count(), warning.name());
                    case NAME_TAKEN -> Messages.LogLine_nameTaken(warning.count(), warning.name());
                });
    }

    /** Returns a text of an agent as one line of limited length, without characters that break lines or change their direction; empty for null. */
    public static String oneLine(@CheckForNull String said) {
        if (said == null) {
            return "";
        }
        String cut = said.length() <= LONGEST ? said : said.substring(0, LONGEST - 1) + "\u2026";
        return cut.replaceAll("[\\p{Cc}\\p{Cf}\\u2028\\u2029]+", " ");
    }

    private static String bytes(long bytes) {
        return Formats.LOG.bytes(bytes);
    }

    private static String seconds(long millis) {
        return Formats.LOG.time(millis);
    }
}
