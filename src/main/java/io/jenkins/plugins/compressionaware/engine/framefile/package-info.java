/** Frame files on the controller: frames that are written to a file as received, and read from it by position. This package decodes no frame. */
package io.jenkins.plugins.compressionaware.engine.framefile;
