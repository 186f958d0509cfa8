package io.jenkins.plugins.compressionaware.transfer;

import io.jenkins.plugins.compressionaware.codec.Codec;
import java.io.Serializable;

/**
 * What a sender says about a finished transfer.
 *
 * @param codec        codec that was used
 * @param fallback     why it is not the one asked for; null if it is
 * @param entries      files, links and directories sent
 * @param contentBytes bytes of file contents
 * @param wireBytes    bytes given to the lane
 */
public record SendReport(Codec codec, String fallback, int entries, long contentBytes, long wireBytes)
        implements Serializable {}
