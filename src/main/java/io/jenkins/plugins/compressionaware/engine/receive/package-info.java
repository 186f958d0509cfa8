/** The receiving end, which is the controller when artifacts are archived: reorders frames, decodes them on other threads, and extracts the files. */
package io.jenkins.plugins.compressionaware.engine.receive;
