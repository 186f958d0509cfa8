/** Runs the work of a transfer on both ends: threads, tasks that a pool may lose, waits that an abort ends, writes that it does not, limits and shares. */
package io.jenkins.plugins.compressionaware.engine.run;
