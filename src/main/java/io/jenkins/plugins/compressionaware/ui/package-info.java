/** On the controller: monitors and pages, and the trial that an agent's page offers. */
package io.jenkins.plugins.compressionaware.ui;
