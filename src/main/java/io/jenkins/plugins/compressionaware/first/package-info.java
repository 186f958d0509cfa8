/** What an agent does before it has the engine: small archives and stashes with single calls. Runs on the agent, with as few classes as possible. */
package io.jenkins.plugins.compressionaware.first;
