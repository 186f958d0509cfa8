package io.jenkins.plugins.compressionaware.transfer;

/**
 * What a receiver has measured itself.
 *
 * @param entries      files, links and directories received
 * @param contentBytes bytes of file contents
 * @param rawBytes     bytes of the tar stream, before the codec
 * @param wireBytes    bytes of the frames, after the codec
 */
public record ReceiveReport(int entries, long contentBytes, long rawBytes, long wireBytes) {}
