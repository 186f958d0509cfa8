/** Turns files into tar bytes on the sending end, and tar bytes into files on the receiving end. The unpacker trusts nothing that it reads. */
package io.jenkins.plugins.compressionaware.tar;
