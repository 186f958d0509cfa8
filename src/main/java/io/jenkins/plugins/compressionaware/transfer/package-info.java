/** One transfer to or from an agent, as the controller leads it: the agent's end, the controller's end, and the reports. */
package io.jenkins.plugins.compressionaware.transfer;
