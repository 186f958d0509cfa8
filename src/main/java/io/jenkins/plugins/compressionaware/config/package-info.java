/** Settings on the controller: system, folders, jobs and steps, from which the settings of each transfer are determined. */
package io.jenkins.plugins.compressionaware.config;
