/**
 * Content of the job's last archived build need not travel again: the agent looks up files and their pieces in a short list and sends recipes, from which the
 * controller makes the files. Runs on both ends.
 */
package io.jenkins.plugins.compressionaware.engine.delta;
