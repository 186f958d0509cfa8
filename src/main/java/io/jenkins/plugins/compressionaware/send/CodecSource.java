package io.jenkins.plugins.compressionaware.send;

/**
 * Where a JVM gets the codec libraries from.
 *
 * @param wireBytes that have to travel
 * @param bring     asks for them, and returns at once. They are there when {@code CodecProbe} knows them.
 */
public record CodecSource(long wireBytes, Runnable bring) {}
