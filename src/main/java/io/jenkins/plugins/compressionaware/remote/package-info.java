/**
 * All that runs on an agent: single calls before it has the engine, the engine's two ends, and what it is asked about itself. It begins with as few
 * classes as possible.
 */
package io.jenkins.plugins.compressionaware.remote;
