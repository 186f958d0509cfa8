package io.jenkins.plugins.compressionaware.adapt;

/** What one block was given. Hand it back with what became of the block. */
public final class Decision {
    final ClassState state;
    final ClassState look;
    final int rung;
    final int rawLength;
    private final Choice choice;

    Decision(ClassState state, ClassState look, int rung, int rawLength, Choice choice) {
        this.choice = choice;
        this.state = state;
        this.look = look;
        this.rung = rung;
        this.rawLength = rawLength;
    }

    /** The codec and level to use. */
    public Choice choice() {
        return choice;
    }
}
