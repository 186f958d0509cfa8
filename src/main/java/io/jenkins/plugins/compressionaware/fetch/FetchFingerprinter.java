package io.jenkins.plugins.compressionaware.fetch;

import hudson.BulkChange;
import hudson.model.Fingerprint;
import hudson.model.Run;
import hudson.tasks.Fingerprinter;
import io.jenkins.plugins.compressionaware.report.BuildLogMessages;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jenkins.model.Jenkins;

/** Records fingerprints of fetched files. Core saves a fingerprint with an fsync after every change; this class saves a changed fingerprint once. */
final class FetchFingerprinter {
    private static final int MAX_NAME_LENGTH = 1000;

    private FetchFingerprinter() {}

    /**
     * Adds the files to the fingerprints of both builds.
     *
     * @param fetched MD5 of each fetched file, by path
     */
    static void record(Map<String, String> fetched, Run<?, ?> from, Run<?, ?> to) throws IOException {
        Map<String, String> digests = new HashMap<>();
        for (Map.Entry<String, String> file : fetched.entrySet()) {
            String name = BuildLogMessages.storable(FetchSelection.baseName(file.getKey()), MAX_NAME_LENGTH);
            digests.put(name, file.getValue());
            use(name, file.getValue(), from, to);
        }
        if (digests.isEmpty()) {
            return;
        }
        for (Run<?, ?> build : List.of(from, to)) {
            Fingerprinter.FingerprintAction known = build.getAction(Fingerprinter.FingerprintAction.class);
            if (known == null) {
                build.addAction(new Fingerprinter.FingerprintAction(build, digests));
            } else {
                known.add(digests);
            }
        }
    }

    private static void use(String name, String digest, Run<?, ?> from, Run<?, ?> to) throws IOException {
        Fingerprint fingerprint;
        boolean known;
        try (BulkChange unsaved = new BulkChange(BulkChange.ALL)) {
            fingerprint = Jenkins.get().getFingerprintMap().getOrCreate(from, name, digest);
            known = isUsed(fingerprint, from) && isUsed(fingerprint, to);
            fingerprint.addFor(from);
            fingerprint.addFor(to);
        }
        if (!known) {
            fingerprint.save();
        }
    }

    private static boolean isUsed(Fingerprint fingerprint, Run<?, ?> build) {
        return fingerprint.getRangeSet(build.getParent().getFullName()).includes(build.getNumber());
    }
}
