/** The sending end, the agent when artifacts are archived: cuts blocks, compresses them on a few threads, and sends frames over lanes. */
package io.jenkins.plugins.compressionaware.engine.send;
