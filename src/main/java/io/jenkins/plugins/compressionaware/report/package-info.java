/** On the controller: what is told about transfers. */
package io.jenkins.plugins.compressionaware.report;
