package io.jenkins.plugins.compressionaware.bench;

/** A section of the benchmark and of its report. */
enum Section {
    ARCHIVE(
            "Archive",
            "A real controller and real agents ran in one process each, and had archived 64 MB 20 times with each way"
                    + " before, as they do in a long life. `scp`, `rsync` and `tar` started both ends in each run; the"
                    + " time includes the handshake of SSH."),
    FRESH(
            "Fresh agents",
            "Each run used a new agent process with an empty jar cache, which ran a shell step and idled for 2 s"
                    + " before it archived. The controller had archived before. Half jars, half text."),
    STASH(
            "Stash and unstash",
            "Jenkins itself stores a tar compressed with gzip. Each stash was unstashed on the same agent, which had"
                    + " stashed and unstashed 64 MB 20 times with each way before. Fresh agents as above."),
    READERS(
            "Unstash over slower links",
            "One agent stashed over TCP on loopback. Another agent unstashed, and then ten agents at the same time,"
                    + " which shared the controller's link."),
    FETCH(
            "Fetch artifacts of another build",
            "Duration of a `copyArtifacts` step in a Pipeline, without this plugin and with"
                + " `accelerateCopyArtifacts: true`. All artifacts are plain files. New agents as above."),
    SHAPED(
            "Archive over slow and distant links",
            "All data of the agent passed the simulated link, HTTP requests included. The link's simulation used the"
                + " same processors. The JVMs were colder than for archives: each way had archived a tenth of the data"
                + " three times. Milliseconds are round-trip times; a connection sends at most 6 MiB per round trip."
                + " The links of 100 and 10 Mbit/s add no delay, and that of 100 ms limits no rate. Above 30 ms, the"
                + " plugin does not use direct HTTP transfer. `scp` waits several round trips for each file, so it"
                + " copied only sets of at most 1,000 files."),
    HISTORIES(
            "Second build, with reuse of earlier content",
            "In each build, one class of a jar of jars has changed, or one file of a `tar.gz`, and so all bytes of the"
                + " latter. The page has the second build. Durations are from the start of the build to its"
                + " end; the first history is not counted. The bench can measure more histories and links."),
    DISK(
            "Disk space of ten builds",
            "Space that ten builds take on the file system of TMPDIR, and the sum of their files, for two values of"
                    + " `deduplicate`. Reflinks need XFS or Btrfs and Java 21 or newer."),
    SLOW(
            "Slow disks",
            "The builds' folder (*archive*, *delete*), the destination of *unstash* or *fetch*, or the *workspace* of"
                + " an archive was behind FUSE, where each operation has a delay, as on a network disk. Jenkins"
                + " itself implements *delete*."),
    LARGE(
            "Large archives",
            "One file of 20 GB, 500,000 files, and 50 agents that archived at the same time, each once. The controller"
                + " had a heap of 2 GB. Agents had a heap of 128 MB, but of 1 GB for 500,000 files, of which Jenkins"
                + " itself makes a list."),
    READ(
            "Read artifacts of many files",
            "500,000 files were archived. *First byte* is the median of 50 files at random, opened by the controller"
                + " with its own and the system's cache empty (*cold*), and again (*warm*); *zip* was discarded."
                + " Jenkins itself implements *delete*."),
    STORE(
            "Archives and stashes in a store",
            "The store was that of `scripts/seaweedfs`. Jenkins itself stored on the controller's disk. An agent"
                    + " over TCP had archived, stashed and unstashed 18 small files 100 times, and 8 MB of texts and"
                    + " 16 MB of jars 20 times, with each way before. *Store at 20 ms*: only the agent's requests to"
                    + " the store passed a simulated link; opening a connection took a round trip. Each run had a"
                    + " bucket of its own, to which the agent had archived 18 files before."),
    ENGINE(
            "Codecs without Jenkins",
            "Two processes acted as agent and controller, connected by a socket, as in `./run`.");

    final String title;
    final String explanation;

    Section(String title, String explanation) {
        this.title = title;
        this.explanation = explanation;
    }
}
