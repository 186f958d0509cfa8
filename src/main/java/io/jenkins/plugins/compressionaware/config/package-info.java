/** On the controller: who decides how artifacts travel: the administrator, a folder, a job or a step, and how that resolves into one choice. */
package io.jenkins.plugins.compressionaware.config;
