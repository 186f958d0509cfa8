/** On the controller: all transfers together: running ones, sums of a week, and advice for the administrator. */
package io.jenkins.plugins.compressionaware.overview;
