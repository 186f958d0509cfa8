/**
 * Delta transfer: the agent looks up chunks of a file in the signature of the reference archive and sends a delta; the controller rebuilds the file. Runs on
 * both ends.
 */
package io.jenkins.plugins.compressionaware.engine.delta;
