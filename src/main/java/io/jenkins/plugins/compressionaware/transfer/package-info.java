/** Uploads and downloads, led by the controller: bootstrap calls, the engine on the agent, deltas, and reports. */
package io.jenkins.plugins.compressionaware.transfer;
