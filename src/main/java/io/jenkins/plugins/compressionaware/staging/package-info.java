/** Folders beside an archive, whose content gets into it as a whole or not at all, and what a crash leaves of them. */
package io.jenkins.plugins.compressionaware.staging;
