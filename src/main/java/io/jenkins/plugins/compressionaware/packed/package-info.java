/** Packed artifacts on the controller: what Jenkins and its plugins read as if they were files. */
package io.jenkins.plugins.compressionaware.packed;
