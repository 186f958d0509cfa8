/** Packs files into a tar and unpacks them, on the agent and on the controller. The unpacker trusts no entry. */
package io.jenkins.plugins.compressionaware.engine.tar;
