/** Metrics and spans on the controller, for the metrics and opentelemetry plugins where installed. */
package io.jenkins.plugins.compressionaware.metrics;
