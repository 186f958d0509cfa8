/** Objects in an S3-compatible store, for both ends: parts are written and ranges are read by requests that the controller signs. Contains no credentials. */
package io.jenkins.plugins.compressionaware.engine.store;
