/**
 * The direct lane on the controller, over HTTP to this Jenkins: whom it is offered, at which addresses, the end point, and what to change where it does
 * not work.
 */
package io.jenkins.plugins.compressionaware.direct;
