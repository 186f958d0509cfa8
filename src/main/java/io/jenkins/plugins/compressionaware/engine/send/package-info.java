/** The sending end, that is, the agent when artifacts are archived: splits tar bytes into blocks, compresses them on a few threads, and sends the frames over lanes. */
package io.jenkins.plugins.compressionaware.engine.send;
