/**
 * Where files land, on the controller for an archive and on the agent for a workspace: folders whose content gets to its place as a whole
 * or not at all, and what a crash leaves of them.
 */
package io.jenkins.plugins.compressionaware.engine.staging;
