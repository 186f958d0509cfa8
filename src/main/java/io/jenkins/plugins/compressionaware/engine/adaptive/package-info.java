/**
 * On the sending end, usually the agent: decides which codec and level the next block gets. Observations in, choice out. No clock, no threads,
 * no IO, no codec libraries: the caller measures times and passes them as nanoseconds, so that a simulation can drive it.
 */
package io.jenkins.plugins.compressionaware.engine.adaptive;
