/** On the controller: what is known of all transfers together: running ones, sums of a week, and what an administrator is told of them. */
package io.jenkins.plugins.compressionaware.overview;
