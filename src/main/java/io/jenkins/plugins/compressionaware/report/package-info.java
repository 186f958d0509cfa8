/** On the controller: reports on transfers. */
package io.jenkins.plugins.compressionaware.report;
