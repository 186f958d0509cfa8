package io.jenkins.plugins.compressionaware.engine.receive;

import java.io.IOException;

/** Downloads ranges of a frame file on a thread of its own. */
interface DownloadLane {
    /** Downloads ranges until all ranges of the file have arrived over some lane. */
    void downloadAll() throws IOException, InterruptedException;
}
