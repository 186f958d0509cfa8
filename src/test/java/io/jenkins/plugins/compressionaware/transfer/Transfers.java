package io.jenkins.plugins.compressionaware.transfer;

import hudson.FilePath;
import hudson.model.TaskListener;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.agent.FileSelection;
import io.jenkins.plugins.compressionaware.config.GlobalSettings;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileWriter;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.report.TransferResults;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Transfers from and to an agent, without a build and with the global settings. */
public final class Transfers {
    private Transfers() {}

    public static UploadTransfer upload(VirtualChannel agent, Path folder, TransferInfo.Operation operation) {
        return new UploadTransfer(
                new FilePath(agent, folder.toString()),
                TaskListener.NULL.getLogger(),
                TransferResults.running(operation));
    }

    public static TransferResult archive(UploadTransfer transfer, Map<String, String> files, Path archive)
            throws IOException, InterruptedException {
        return transfer.archive(files, archive, GlobalSettings.get().settings(), null);
    }

    /** Stores a folder in a file, beside which the unfinished file is. */
    public static TransferResult stash(VirtualChannel agent, Path folder, Path file)
            throws IOException, InterruptedException {
        return upload(agent, folder, TransferInfo.Operation.STASH)
                .storeStash(
                        size -> new FrameFileWriter(file, file.resolveSibling("partial"), size, Long.MAX_VALUE),
                        new FileSelection.ByPattern(null, null, false),
                        GlobalSettings.get().settings(),
                        sent -> {});
    }

    public static TransferResult unstash(VirtualChannel agent, Path file, Path folder)
            throws IOException, InterruptedException {
        try (FrameFile frames = FrameFile.open(file)) {
            return new DownloadTransfer(
                            new FilePath(agent, folder.toString()),
                            TaskListener.NULL.getLogger(),
                            TransferResults.running(TransferInfo.Operation.UNSTASH))
                    .run(frames, GlobalSettings.get().settings());
        }
    }

    /**
     * Returns lines of a log that a JVM writes with {@code -Xlog:class+load}.
     *
     * @param packages regular expression for the packages of the loaded classes
     */
    public static List<String> loaded(Path log, String packages) throws IOException {
        return Files.readAllLines(log).stream()
                .filter(line -> line.matches(".*\\] (" + packages + ")\\..*"))
                .toList();
    }
}
