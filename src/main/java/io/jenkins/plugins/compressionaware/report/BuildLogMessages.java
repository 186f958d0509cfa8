package io.jenkins.plugins.compressionaware.report;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.tar.ExtractionWarning;
import io.jenkins.plugins.compressionaware.report.StageTimes.Stage;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Formats the build log's messages about transfers in the language of the JVM. The pages use some of the same phrases. */
@Restricted(NoExternalUse.class)
public final class BuildLogMessages {
    /** Maximum length of a text that an agent sends, characters. */
    private static final int MAX_AGENT_TEXT = 1000;

    private BuildLogMessages() {}

    /** Formats the line for a completed transfer: sizes and time, codecs, bottleneck, path. */
    public static String completed(TransferResult result) {
        FigureFormat formats = FigureFormat.ofReader();
        String amounts = Messages.BuildLogMessages_transferred(
                describe(result.operation, result.label),
                result.files,
                formats.bytes(result.rawBytes),
                formats.time(result.duration),
                formats.rate(result.rawBytes * 1e3 / result.duration),
                sent(result.wireBytes, result.rawBytes, formats));
        if (result.reusedBytes > 0) {
            amounts = Messages.BuildLogMessages_reused(
                    amounts, formats.bytes(result.reusedBytes), String.valueOf(result.referenceBuild));
        }
        if (result.storedBytes > 0) {
            amounts = Messages.BuildLogMessages_stored(amounts, stored(result, formats));
        }
        String interrupted =
                result.interruptions == 0 ? "" : Messages.BuildLogMessages_interrupted(result.interruptions);
        return Stream.of(amounts, codecs(result, formats), limit(result, formats), path(result, formats), interrupted)
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining("; "));
    }

    static String describe(TransferInfo transfer) {
        return describe(transfer.operation(), transfer.stash());
    }

    static String describe(TransferInfo.Operation operation, @CheckForNull String stash) {
        return switch (operation) {
            case ARCHIVE -> Messages.BuildLogMessages_archive();
            case STASH -> Messages.BuildLogMessages_stash(stash);
            case UNSTASH -> Messages.BuildLogMessages_unstash(stash);
            case FETCH -> Messages.BuildLogMessages_fetch(stash);
        };
    }

    /** Returns the size of a packed archive, and its share of the files. */
    static String stored(TransferResult result, FigureFormat formats) {
        String bytes = formats.bytes(result.storedBytes);
        String share = formats.share(result.storedBytes, result.rawBytes);
        return share.isEmpty() ? bytes : Messages.BuildLogMessages_share(bytes, '(' + share + ')');
    }

    static String sent(long wireBytes, long rawBytes, FigureFormat formats) {
        String wire = formats.bytes(wireBytes);
        String share = formats.share(wireBytes, rawBytes);
        return share.isEmpty()
                ? Messages.BuildLogMessages_sent(wire)
                : Messages.BuildLogMessages_sentShare(wire, share);
    }

    /** Returns the path of the bytes: store, direct HTTP transfer, agent connection, or several streams. Empty for a single stream over the channel. */
    public static String path(TransferResult result, FigureFormat formats) {
        if (result.store != null) {
            return result.store;
        }
        if (result.directBytes == 0) {
            return result.lanes <= 1 ? "" : Messages.BuildLogMessages_streams(result.lanes);
        }
        String direct = formats.bytes(result.directBytes);
        return result.channelBytes == 0
                ? Messages.BuildLogMessages_direct(direct)
                : Messages.BuildLogMessages_directAndChannel(direct, formats.bytes(result.channelBytes));
    }

    /** Returns the codecs of a completed transfer, and the folder, job or step that chose them. */
    public static String codecs(TransferResult result, FigureFormat formats) {
        if (!result.auto) {
            return result.codecs.isEmpty()
                    ? Messages.BuildLogMessages_asStored()
                    : chosen(result.codecs.get(0).name(), result.chosenBy);
        }
        String shares = result.codecs.isEmpty() ? Messages.BuildLogMessages_nothing() : shares(result.codecs, formats);
        return Messages.BuildLogMessages_auto(chosen("auto", result.chosenBy), shares);
    }

    private static String chosen(String codec, @CheckForNull String chosenBy) {
        return chosenBy == null ? codec : Messages.BuildLogMessages_chosen(codec, chosenBy);
    }

    private static String name(CodecShare share) {
        return share.codec.equals(Codec.NONE.symbol()) ? Messages.BuildLogMessages_uncompressed() : share.name();
    }

    /** Lists the codecs by share, largest first. Shares below half a percent are omitted. */
    private static String shares(List<CodecShare> codecs, FigureFormat formats) {
        long all = codecs.stream().mapToLong(codec -> codec.rawBytes).sum();
        return codecs.stream()
                .filter(codec -> codec.rawBytes * 200.0 >= all)
                .map(codec -> Messages.BuildLogMessages_share(formats.ratio(codec.rawBytes, all), name(codec)))
                .collect(Collectors.joining(", "));
    }

    /** Returns the bottleneck of a transfer; empty if no stage was busy for half of the transfer's time. */
    static String limit(TransferResult result, FigureFormat formats) {
        if (result.bottleneck == null) {
            return "";
        }
        String rate = formats.rate(result.bottleneckRate);
        StageTimes busy = Objects.requireNonNull(result.stageTimes);
        String files = formats.count(Math.round(1e3 * result.files / Math.max(1, busy.writing)));
        int owner = result.bottleneck == Bottleneck.AGENTS_DISK ? 0 : 1;
        int writing = busy.longest(result.duration) == Stage.READING ? 0 : 1;
        return switch (result.bottleneck) {
            case AGENTS_DISK, CONTROLLERS_DISK ->
                result.writers > 0
                        ? Messages.BuildLogMessages_slowDisk(owner, files, result.writers)
                        : Messages.BuildLogMessages_disk(owner, writing, rate);
            case COMPRESSION -> Messages.BuildLogMessages_compression(rate);
            case DECOMPRESSION -> Messages.BuildLogMessages_decompression(rate);
            case NETWORK -> Messages.BuildLogMessages_network(rate);
            case DISTANCE -> Messages.BuildLogMessages_distance(rate, result.lanes);
            case PROCESSORS -> Messages.BuildLogMessages_processors();
        };
    }

    public static String copiedOnController(int files, long nanos) {
        return Messages.BuildLogMessages_local(files, seconds(nanos / 1_000_000));
    }

    public static String archivedByCore(int files, String agent, long nanos) {
        return Messages.BuildLogMessages_leftToCore(files, agent, seconds(nanos / 1_000_000));
    }

    /**
     * Formats the line for a transfer that Jenkins itself performs because the agent has conflicting classes.
     *
     * @param failure names the conflicting classes on the agent's class path
     */
    public static String classConflict(TransferInfo transfer, Exception failure) {
        return Messages.BuildLogMessages_lackingClasses(
                describe(transfer),
                transfer.operation() == TransferInfo.Operation.ARCHIVE ? 0 : 1,
                oneLine(failure.getMessage()));
    }

    public static String completed(ExtractionWarning warning) {
        return oneLine(
                switch (warning.type()) {
                    case SYMLINK_NOT_CREATED ->
                        Messages.BuildLogMessages_linkLeftOut(warning.count(), warning.name(), warning.reason());
                    case DIRECTORY_NOT_REPLACED ->
                        Messages.BuildLogMessages_folderKept(warning.count(), warning.name());
                    case NAME_COLLISION -> Messages.BuildLogMessages_nameTaken(warning.count(), warning.name());
                    case ATTRIBUTES_NOT_SET ->
                        Messages.BuildLogMessages_attributesNotSet(warning.count(), warning.name(), warning.reason());
                });
    }

    /** Makes one line of limited length from an agent's text, without characters that break lines or change the writing direction; empty for null. */
    public static String oneLine(@CheckForNull String text) {
        return oneLine(text, MAX_AGENT_TEXT);
    }

    static String oneLine(@CheckForNull String text, int maxLength) {
        return text == null ? "" : storable(text, maxLength).replaceAll("[\\p{Cc}\\p{Cf}\\u2028\\u2029]+", " ");
    }

    /** Cuts a text between characters, and replaces what XML 1.1 lacks: one such character would make all of {@code build.xml} unsavable. */
    public static String storable(String text, int maxLength) {
        String cut = text;
        if (text.length() > maxLength) {
            boolean splitsPair = Character.isHighSurrogate(text.charAt(maxLength - 2));
            cut = text.substring(0, maxLength - (splitsPair ? 2 : 1)) + "\u2026";
        }
        return cut.replaceAll("[\\x00\\p{Cs}\\uFFFE\\uFFFF]+", " ");
    }

    private static String seconds(long millis) {
        return FigureFormat.ofReader().time(millis);
    }
}
