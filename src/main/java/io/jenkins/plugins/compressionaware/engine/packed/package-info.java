/** Packed archives on the controller: frames as received, an index of their files, and readers that find a file by name. */
package io.jenkins.plugins.compressionaware.engine.packed;
