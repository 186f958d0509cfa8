package io.jenkins.plugins.compressionaware.send;

import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Where a JVM gets the codec libraries from.
 *
 * @param wireBytes that have to travel
 * @param bring     asks for them, and returns at once. They are there when {@code CodecProbe} knows them.
 */
@Restricted(NoExternalUse.class)
public record CodecSource(long wireBytes, Runnable bring) {}
