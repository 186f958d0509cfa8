/**
 * On both ends: turns one block into one frame and back, with {@code none}, {@code gzip}, {@code lz4} or {@code zstd}. Knows nothing of files,
 * channels or Jenkins.
 */
package io.jenkins.plugins.compressionaware.engine.codec;
