/**
 * The pipeline. On the agent: pack, compress on a few threads, frames in order, a lane. On the controller: frames put back in order,
 * decode ahead on other threads, unpack, and files moved to their place when all of them are whole.
 */
package io.jenkins.plugins.compressionaware.transfer;
