/** Frames in a file, on the controller or wherever a stash is kept: written as received, read by position, never decoded here. */
package io.jenkins.plugins.compressionaware.engine.framefile;
