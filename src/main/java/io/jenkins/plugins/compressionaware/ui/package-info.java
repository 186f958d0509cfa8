/** On the controller: the administrator's page, monitors, the artifact transfer test on an agent's page, and the transfers of a job. */
package io.jenkins.plugins.compressionaware.ui;
