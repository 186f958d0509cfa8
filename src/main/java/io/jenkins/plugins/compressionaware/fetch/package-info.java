/** The way back: artifacts of another build, as copyartifact selects them, in one transfer to an agent. */
package io.jenkins.plugins.compressionaware.fetch;
