/** Code that runs on the agent: bootstrap calls before the agent has the engine, then the two ends of the engine. */
package io.jenkins.plugins.compressionaware.agent;
