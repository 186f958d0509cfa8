/**
 * The two-process demo: a controller's JVM and an agent's, connected by loopback sockets, archive a folder in every way and print what
 * each one costs. The benchmark measures with its public classes.
 */
package io.jenkins.plugins.compressionaware.demo;
