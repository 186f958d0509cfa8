/**
 * The direct lane on the controller, over HTTP to this Jenkins: offers, admission, addresses, the end point, and advice where it does not work.
 */
package io.jenkins.plugins.compressionaware.directlane;
