/** What the controller sends to an agent ahead of a transfer, and what it knows about the agent. */
package io.jenkins.plugins.compressionaware.provisioning;
