/** The artifact manager on the controller: the factory with the settings, and the manager of a build. */
package io.jenkins.plugins.compressionaware;
