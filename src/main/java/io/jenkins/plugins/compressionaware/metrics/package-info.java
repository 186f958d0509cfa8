/** On the controller: what the metrics plugin is told of transfers, where it is installed. */
package io.jenkins.plugins.compressionaware.metrics;
