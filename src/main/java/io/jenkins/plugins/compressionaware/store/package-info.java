/** Objects in an S3-compatible store, as the controller signs, completes, opens and deletes them. */
package io.jenkins.plugins.compressionaware.store;
