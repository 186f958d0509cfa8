/** Files to tar bytes on the agent, tar bytes to files on the controller. The unpacker trusts nothing it reads. */
package io.jenkins.plugins.compressionaware.tar;
