/**
 * The artifact manager on the controller: the factory with the settings, and the manager of a build. The terms of all packages are defined in
 * docs/architecture.md.
 */
package io.jenkins.plugins.compressionaware;
