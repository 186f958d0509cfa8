/** Settings on the controller: of the system, folders, jobs and steps, and their resolution into the settings of one transfer. */
package io.jenkins.plugins.compressionaware.config;
