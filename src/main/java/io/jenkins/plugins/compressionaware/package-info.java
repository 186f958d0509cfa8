/** The artifact manager on the controller: its factory, which holds the settings, and the manager of one build. */
package io.jenkins.plugins.compressionaware;
