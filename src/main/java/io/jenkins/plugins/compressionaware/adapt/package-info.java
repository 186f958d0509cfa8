/**
 * On the agent, or whichever end sends: decides which codec and level the next block gets. Observations in, choice out. No clock, no threads,
 * no IO, no codec libraries: time comes in as nanoseconds measured by the caller, so that a simulation can drive it.
 */
package io.jenkins.plugins.compressionaware.adapt;
