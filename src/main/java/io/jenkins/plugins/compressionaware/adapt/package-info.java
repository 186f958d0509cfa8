/**
 * Decides which codec and level the next block gets: observations in, choice out. No clock, no threads, no IO, no codec libraries: time
 * comes in as nanoseconds measured by the caller, so that a simulation can drive it.
 */
package io.jenkins.plugins.compressionaware.adapt;
