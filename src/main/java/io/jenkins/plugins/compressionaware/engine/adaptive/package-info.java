/**
 * Chooses the codec and level of the next block on the sending end, usually the agent. The caller passes measured nanoseconds, so the package needs no clock,
 * thread or I/O, and a simulation can drive it.
 */
package io.jenkins.plugins.compressionaware.engine.adaptive;
