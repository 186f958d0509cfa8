/** Flow control on both ends: credit and its grants, the heap budget, range requests, and the figures of a transfer. */
package io.jenkins.plugins.compressionaware.engine.flow;
