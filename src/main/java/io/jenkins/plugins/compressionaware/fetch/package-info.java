/** Transfers artifacts of another build to an agent, as selected by the Copy Artifact plugin. */
package io.jenkins.plugins.compressionaware.fetch;
