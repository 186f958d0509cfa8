/** The sending end, an agent's JVM when artifacts are archived: blocks, compressed on a few threads, as frames in order, to the lanes. */
package io.jenkins.plugins.compressionaware.send;
