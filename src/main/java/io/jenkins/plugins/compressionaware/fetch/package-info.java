/** Artifacts of another build in one transfer, from the controller to an agent, as the Copy Artifact plugin selects them. */
package io.jenkins.plugins.compressionaware.fetch;
