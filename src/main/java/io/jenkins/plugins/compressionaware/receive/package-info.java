/**
 * The receiving end, the controller when artifacts are archived: frames put back in order, decoded ahead on other threads, unpacked, and files
 * moved to their place when all of them are whole.
 */
package io.jenkins.plugins.compressionaware.receive;
