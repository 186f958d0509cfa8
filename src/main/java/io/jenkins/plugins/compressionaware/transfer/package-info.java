/** What both ends of a transfer share: the messages between them. */
package io.jenkins.plugins.compressionaware.transfer;
