/** The staged archive on the controller: a folder beside {@code archive} that is filled, merged into it, and removed after a crash. */
package io.jenkins.plugins.compressionaware.engine.staging;
