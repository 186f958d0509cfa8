/** Everything here runs on the agent: bootstrap calls before the agent has the engine, then the engine's two ends. */
package io.jenkins.plugins.compressionaware.agent;
