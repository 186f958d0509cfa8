package io.jenkins.plugins.compressionaware.report;

import io.jenkins.plugins.compressionaware.adapt.Usage;
import java.io.Serializable;
import org.kohsuke.stapler.export.Exported;
import org.kohsuke.stapler.export.ExportedBean;

/** What one codec and level was used for. Saved with builds. */
@ExportedBean(defaultVisibility = 2)
public final class CodecFigures implements Serializable {
    private static final long serialVersionUID = 1;

    /** {@code none}, {@code gzip}, {@code lz4} or {@code zstd}. */
    @Exported
    public final String codec;

    /** 0 for a codec without levels. */
    @Exported
    public final int level;

    @Exported
    public final long rawBytes;

    @Exported
    public final long wireBytes;

    CodecFigures(Usage usage) {
        codec = usage.choice().codec().symbol();
        level = usage.choice().level();
        rawBytes = usage.rawBytes();
        wireBytes = usage.wireBytes();
    }
}
