/** Prepares an agent for transfers: caches facts about it, and sends classes and codec libraries before they are needed. */
package io.jenkins.plugins.compressionaware.provisioning;
