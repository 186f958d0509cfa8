/** Stages an archive on the controller in a folder next to it, merges that folder into the archive, and finishes or deletes what a crash leaves. */
package io.jenkins.plugins.compressionaware.engine.staging;
