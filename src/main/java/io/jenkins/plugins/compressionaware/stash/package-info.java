/** What a build's stashes are on the controller's disk. */
package io.jenkins.plugins.compressionaware.stash;
