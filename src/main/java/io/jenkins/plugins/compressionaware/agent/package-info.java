/** Code that runs on the agent: bootstrap calls for small data, and the agent's end of the engine for everything else. */
package io.jenkins.plugins.compressionaware.agent;
