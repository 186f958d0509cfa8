/**
 * The benchmark: measures this plugin and Jenkins core in rounds in which all ways take turns, and writes the results
 * as Markdown, JSON and SVG.
 */
package io.jenkins.plugins.compressionaware.bench;
