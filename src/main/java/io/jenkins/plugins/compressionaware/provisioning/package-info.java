/** The controller's knowledge of an agent, and the jars sent ahead so that it need not ask for classes. */
package io.jenkins.plugins.compressionaware.provisioning;
