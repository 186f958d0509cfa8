package io.jenkins.plugins.compressionaware.adapt;

/** What one block was given. Hand it back with what became of the block. */
public final class Decision {
    final ClassState state;
    final ClassState look;
    final int rung;
    final int rawLength;

    Decision(ClassState state, ClassState look, int rung, int rawLength) {
        this.state = state;
        this.look = look;
        this.rung = rung;
        this.rawLength = rawLength;
    }

    /** The codec and level to use. */
    public Choice choice() {
        return Ladder.ALL.get(rung);
    }
}
