/**
 * On the controller, or wherever a stash is kept: frames in a file, written as they arrived, found by position. Knows frame headers, but nothing
 * of codecs at work.
 */
package io.jenkins.plugins.compressionaware.engine.framefile;
