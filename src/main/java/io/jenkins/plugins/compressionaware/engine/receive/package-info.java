/**
 * The receiving end, the controller when artifacts are archived: puts frames back in order, decodes them ahead on other threads, unpacks them, and
 * moves files into place when all of them are whole.
 */
package io.jenkins.plugins.compressionaware.engine.receive;
