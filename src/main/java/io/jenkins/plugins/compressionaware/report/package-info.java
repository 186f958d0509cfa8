/** Reporting on the controller: build log, listeners, the transfers of a build and their page, and totals of the last week. */
package io.jenkins.plugins.compressionaware.report;
