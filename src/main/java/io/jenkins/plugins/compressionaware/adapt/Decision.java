package io.jenkins.plugins.compressionaware.adapt;

import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The choice for one block, to be handed back with the result. */
@Restricted(NoExternalUse.class)
public final class Decision {
    final FamilyEstimates family;
    final int rung;
    final int rawLength;
    private final Choice choice;

    Decision(FamilyEstimates family, int rung, int rawLength, Choice choice) {
        this.choice = choice;
        this.family = family;
        this.rung = rung;
        this.rawLength = rawLength;
    }

    /** The codec and level to use. */
    public Choice choice() {
        return choice;
    }
}
