/** The bookkeeping of delta transfer on the controller: the reference build, its chunk index, and whether a delta saves time. */
package io.jenkins.plugins.compressionaware.reference;
