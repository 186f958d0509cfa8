/** Flow control on both ends: credit, range requests, writes that an abort cannot cut short, bounded waits, and the limits of a JVM. */
package io.jenkins.plugins.compressionaware.engine.flow;
