/** Encodes blocks as frames and decodes frames, on both ends: uncompressed, gzip, lz4 or zstd, with headers and checksums. */
package io.jenkins.plugins.compressionaware.engine.codec;
