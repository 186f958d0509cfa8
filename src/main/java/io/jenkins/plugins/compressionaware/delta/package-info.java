/**
 * What the job's last archived build has need not travel again: the agent looks files and their pieces up in a short list and sends recipes, the controller
 * makes the files of them. Runs on either end.
 */
package io.jenkins.plugins.compressionaware.delta;
