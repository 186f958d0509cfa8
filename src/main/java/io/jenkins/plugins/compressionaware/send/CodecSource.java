package io.jenkins.plugins.compressionaware.send;

import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The source from which a JVM gets the codec libraries.
 *
 * @param wireBytes bytes that have to travel
 * @param bring     asks for the libraries and returns at once; they are there when {@code CodecProbe} knows them
 */
@Restricted(NoExternalUse.class)
public record CodecSource(long wireBytes, Runnable bring) {}
