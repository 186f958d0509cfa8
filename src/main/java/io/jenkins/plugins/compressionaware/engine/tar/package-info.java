/** Files to tar on the sending end, tar to files on the receiving end; the two run on both ends, agent and controller. The unpacker trusts no entry. */
package io.jenkins.plugins.compressionaware.engine.tar;
