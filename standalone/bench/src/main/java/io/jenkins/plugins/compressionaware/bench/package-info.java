/**
 * The benchmark: measures the plugin against Jenkins core's way, other tools and other designs, in rounds in which all ways take turns, and
 * writes what it has measured as Markdown, JSON and SVG.
 */
package io.jenkins.plugins.compressionaware.bench;
