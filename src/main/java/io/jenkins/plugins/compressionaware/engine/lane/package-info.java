/** Shared by both ends of a transfer: the messages between them, direct lanes, and threads. */
package io.jenkins.plugins.compressionaware.engine.lane;
