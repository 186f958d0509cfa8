/** Shared by both ends of a transfer: the messages between them. */
package io.jenkins.plugins.compressionaware.transfer;
