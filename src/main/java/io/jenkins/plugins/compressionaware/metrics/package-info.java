/** On the controller: what the metrics and the opentelemetry plugin are told of transfers, where they are installed. */
package io.jenkins.plugins.compressionaware.metrics;
