package io.jenkins.plugins.compressionaware.bench;

import java.util.List;

/**
 * A comparison that others have reported, made again here.
 *
 * @param question what is compared
 * @param rows     one per variant
 * @param shows    what the figures of this run say about a decision of this plugin
 */
record Replay(String question, List<Row> rows, String shows) {}
