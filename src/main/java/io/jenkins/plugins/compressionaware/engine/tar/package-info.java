/** On both ends: turns files into tar bytes on the sending one, and tar bytes into files on the receiving one. The unpacker trusts nothing that it reads. */
package io.jenkins.plugins.compressionaware.engine.tar;
