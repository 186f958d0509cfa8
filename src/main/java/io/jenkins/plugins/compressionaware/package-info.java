/** The Jenkins face: the factory that an administrator configures, the manager of one build, and what runs on the agent. */
package io.jenkins.plugins.compressionaware;
