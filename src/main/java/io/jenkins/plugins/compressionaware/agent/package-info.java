/**
 * The calls that run on an agent: single ones before it has the engine, the engine's two ends, and questions about the agent itself. They begin with as
 * few classes as possible.
 */
package io.jenkins.plugins.compressionaware.agent;
