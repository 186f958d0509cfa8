/**
 * What talks to an agent, on the controller unless a class says otherwise: a transfer over its channel, what is known about it, and the direct
 * lane.
 */
package io.jenkins.plugins.compressionaware.agent;
