/**
 * Uploads and downloads, led by the controller: bootstrap calls, the engine on the agent, and reports. {@code AgentCall} handles a lost connection, and
 * {@code SilenceLimit} two ends that wait for each other.
 */
package io.jenkins.plugins.compressionaware.transfer;
