/** Reports on the controller: the build log, listeners, a build's transfers and their page, and totals of a week. */
package io.jenkins.plugins.compressionaware.report;
