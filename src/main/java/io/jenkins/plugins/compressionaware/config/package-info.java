/** On the controller: the choices of administrator, folder, job and step, and how they resolve into the settings of a transfer. */
package io.jenkins.plugins.compressionaware.config;
