/** Direct lanes on agent and controller: HTTP requests that bypass the agent connection, with their keys, offers and failures. */
package io.jenkins.plugins.compressionaware.engine.http;
