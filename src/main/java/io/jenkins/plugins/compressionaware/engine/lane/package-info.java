/** Direct lanes on both ends, agent and controller: HTTP requests beside the agent connection, their keys, offers and failures. */
package io.jenkins.plugins.compressionaware.engine.lane;
