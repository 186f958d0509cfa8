/** A build's stashes on the controller's disk. */
package io.jenkins.plugins.compressionaware.stash;
