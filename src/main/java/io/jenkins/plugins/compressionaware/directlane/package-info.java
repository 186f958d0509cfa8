/** Direct lanes on the controller: the HTTP endpoint, sessions, addresses, and advice about failures. */
package io.jenkins.plugins.compressionaware.directlane;
