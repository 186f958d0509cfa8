/** Settings on the controller (system, folders, jobs, steps) and their resolution into the settings of one transfer. */
package io.jenkins.plugins.compressionaware.config;
