/** On the controller: reports transfers to the metrics and opentelemetry plugins, if installed. */
package io.jenkins.plugins.compressionaware.metrics;
