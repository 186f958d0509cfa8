/** Settings on the controller: those of the administrator, folders, jobs and steps, and how they resolve into the settings of a transfer. */
package io.jenkins.plugins.compressionaware.config;
