/** Metrics and spans on the controller, for the optional plugins Metrics and OpenTelemetry. */
package io.jenkins.plugins.compressionaware.metrics;
