/** Uploads and downloads, led by the controller: bootstrap calls, the engine on the agent, and reports. */
package io.jenkins.plugins.compressionaware.transfer;
