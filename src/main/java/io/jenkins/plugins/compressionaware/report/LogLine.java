package io.jenkins.plugins.compressionaware.report;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.report.StageTimes.Stage;
import io.jenkins.plugins.compressionaware.engine.tar.LandingWarning;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Makes the one line per transfer in the build log, and the wording that it shares with the pages. */
@Restricted(NoExternalUse.class)
public final class LogLine {
    /** Longest text of an agent that is kept, characters. */
    private static final int LONGEST = 1000;

    private LogLine() {}

    /** The line for a completed transfer: what one looks for stands first. */
    public static String of(TransferResult result) {
        Formats formats = Formats.ofReader();
        String amounts = Messages.LogLine_transferred(
                what(result.kind, result.stash),
                result.files,
                formats.bytes(result.rawBytes),
                formats.time(result.duration),
                formats.rate(result.rawBytes * 1e3 / result.duration),
                sent(result.wireBytes, result.rawBytes, formats));
        if (result.earlierBytes > 0) {
            amounts = Messages.LogLine_reused(
                    amounts, formats.bytes(result.earlierBytes), String.valueOf(result.earlierBuild));
        }
        return Stream.of(amounts, codecs(result, formats), limit(result, formats), way(result, formats))
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining("; "));
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

    static String sent(long wireBytes, long rawBytes, Formats formats) {
        String wire = formats.bytes(wireBytes);
        String share = formats.share(wireBytes, rawBytes);
        return share.isEmpty() ? Messages.LogLine_sent(wire) : Messages.LogLine_sentShare(wire, share);
    }

    /** The lanes that were used; empty for a single stream over the channel. */
    public static String way(TransferResult result, Formats formats) {
        if (result.directBytes == 0) {
            return result.lanes <= 1 ? "" : Messages.LogLine_streams(result.lanes);
        }
        String direct = formats.bytes(result.directBytes);
        return result.channelBytes == 0
                ? Messages.LogLine_direct(direct)
                : Messages.LogLine_directAndChannel(direct, formats.bytes(result.channelBytes));
    }

    /** The codecs of a completed transfer, and who or what chose them. */
    public static String codecs(TransferResult result, Formats formats) {
        if (!result.auto) {
            return result.codecs.isEmpty()
                    ? Messages.LogLine_asStored()
                    : chosen(result.codecs.get(0).name(), result.chosenBy);
        }
        String shares = result.codecs.isEmpty() ? Messages.LogLine_nothing() : shares(result.codecs, formats);
        return Messages.LogLine_auto(chosen("auto", result.chosenBy), shares);
    }

    private static String chosen(String codec, @CheckForNull String chosenBy) {
        return chosenBy == null ? codec : Messages.LogLine_chosen(codec, chosenBy);
    }

    private static String name(CodecShare share) {
        return share.codec.equals(Codec.NONE.symbol()) ? Messages.LogLine_uncompressed() : share.name();
    }

    /** Codecs with most bytes first, without those below half a percent. */
    private static String shares(List<CodecShare> codecs, Formats formats) {
        long all = codecs.stream().mapToLong(codec -> codec.rawBytes).sum();
        return codecs.stream()
                .filter(codec -> codec.rawBytes * 200.0 >= all)
                .map(codec -> Messages.LogLine_share(formats.ratio(codec.rawBytes, all), name(codec)))
                .collect(Collectors.joining(", "));
    }

    /** What limited a transfer; empty if nothing did for half of its time. */
    static String limit(TransferResult result, Formats formats) {
        if (result.limit == null) {
            return "";
        }
        String rate = formats.rate(result.limitRate);
        StageTimes busy = Objects.requireNonNull(result.busy);
        String files = formats.count(Math.round(1e3 * result.files / Math.max(1, busy.writing)));
        int whose = result.limit == Bottleneck.AGENTS_DISK ? 0 : 1;
        int writing = busy.longest(result.duration) == Stage.READING ? 0 : 1;
        return switch (result.limit) {
            case AGENTS_DISK, CONTROLLERS_DISK ->
                result.writers > 0
                        ? Messages.LogLine_slowDisk(whose, files, result.writers)
                        : Messages.LogLine_disk(whose, writing, rate);
            case COMPRESSION -> Messages.LogLine_compression(rate);
            case DECOMPRESSION -> Messages.LogLine_decompression(rate);
            case NETWORK -> Messages.LogLine_network(rate);
            case DISTANCE -> Messages.LogLine_distance(rate, result.lanes);
            case PROCESSORS -> Messages.LogLine_processors();
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
        return Messages.LogLine_lackingClasses(
                what(transfer), transfer.kind() == Transfer.Kind.ARCHIVE ? 0 : 1, oneLine(failure.getMessage()));
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
        return oneLine(said, LONGEST);
    }

    static String oneLine(@CheckForNull String said, int longest) {
        if (said == null) {
            return "";
        }
        String cut = said.length() <= longest ? said : said.substring(0, longest - 1) + "\u2026";
        return cut.replaceAll("[\\p{Cc}\\p{Cf}\\u2028\\u2029]+", " ");
    }

    private static String seconds(long millis) {
        return Formats.ofReader().time(millis);
    }
}
