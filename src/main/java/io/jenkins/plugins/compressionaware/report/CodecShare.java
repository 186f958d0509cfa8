package io.jenkins.plugins.compressionaware.report;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import org.kohsuke.stapler.export.Exported;
import org.kohsuke.stapler.export.ExportedBean;

/** The bytes of a transfer that were compressed with one codec and level. Saved with builds. */
@ExportedBean(defaultVisibility = 2)
public final class CodecShare {
    /** {@code none}, {@code gzip}, {@code lz4} or {@code zstd}. */
    @Exported
    public final String codec;

    /** 0 for a codec without levels. */
    @Exported
    public final int level;

    /** Bytes of the tar before compression. */
    @Exported
    public final long rawBytes;

    @Exported
    public final long wireBytes;

    CodecShare(CodecLevel choice, long rawBytes, long wireBytes) {
        codec = choice.codec().symbol();
        level = choice.level();
        this.rawBytes = rawBytes;
        this.wireBytes = wireBytes;
    }

    /** Returns codec and level, such as {@code zstd 3}; only the codec if the codec has no levels. */
    String name() {
        return level > 0 ? codec + " " + level : codec;
    }
}
