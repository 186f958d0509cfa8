package io.jenkins.plugins.compressionaware.adapt;

import java.io.Serializable;
import java.util.ArrayList;

/**
 * What was chosen and why.
 *
 * @param usages   one for each choice that was used
 * @param reason   what mattered most
 * @param switches how often a family of blocks was given another choice, trials of single blocks not counted
 */
public record AutoReport(ArrayList<Usage> usages, Reason reason, int switches) implements Serializable {
    private static final long serialVersionUID = 1;
}
