/** One transfer to or from an agent, as the controller leads it: the end there, the end here, and what is told. */
package io.jenkins.plugins.compressionaware.agent;
