/**
 * The two-process demo: a controller's JVM and an agent's JVM, connected by loopback sockets, archive a folder with
 * each codec and print the costs. The benchmark shares the public classes.
 */
package io.jenkins.plugins.compressionaware.demo;
