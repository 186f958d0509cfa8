/** The sending end, which is the agent when artifacts are archived: splits tar bytes into blocks, compresses them, and sends the frames over lanes. */
package io.jenkins.plugins.compressionaware.engine.send;
