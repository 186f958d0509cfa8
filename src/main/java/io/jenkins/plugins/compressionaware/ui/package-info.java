/** Pages and monitors on the controller: the administrator's page, a job's transfers, and the artifact transfer test of an agent. */
package io.jenkins.plugins.compressionaware.ui;
