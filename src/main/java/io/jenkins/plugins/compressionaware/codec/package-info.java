/** Turns one block into one frame and back: {@code none}, {@code gzip}, {@code lz4}, {@code zstd}. Knows nothing of files, channels or Jenkins. */
package io.jenkins.plugins.compressionaware.codec;
