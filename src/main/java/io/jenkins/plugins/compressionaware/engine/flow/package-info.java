/** Flow control on both ends: credit, range requests, writes that an abort cannot cut short, threads and their CPU time. */
package io.jenkins.plugins.compressionaware.engine.flow;
