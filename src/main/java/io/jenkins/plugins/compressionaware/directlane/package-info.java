/** The controller's part of direct lanes (agents' HTTP requests that bypass the channel): endpoint, sessions, addresses, and advice about failures. */
package io.jenkins.plugins.compressionaware.directlane;
