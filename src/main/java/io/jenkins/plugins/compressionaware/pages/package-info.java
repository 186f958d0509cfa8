/** On the controller: what people look at, and the trial that an agent's page offers. */
package io.jenkins.plugins.compressionaware.pages;
