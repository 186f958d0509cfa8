/** What the controller knows about an agent, and sends ahead to it, so that it need not ask for classes. */
package io.jenkins.plugins.compressionaware.shipping;
