/** On the controller: the factory that an administrator configures, and the manager of one build. */
package io.jenkins.plugins.compressionaware;
