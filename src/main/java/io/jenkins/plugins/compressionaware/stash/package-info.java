/** Stashes on the controller: a build's stash folder, the steps {@code stash} and {@code unstash}, and copies for restarted builds. */
package io.jenkins.plugins.compressionaware.stash;
