package io.jenkins.plugins.compressionaware.bench;

/** A part of the benchmark, and the question that it answers. */
enum Section {
    ARCHIVE(
            "How long does it take to archive?",
            "A real controller and real agents, one process each, warm. All over the agent's channel, but for *auto-direct*."),
    FRESH(
            "Is a fresh agent as fast?",
            "A new agent process with an empty jar cache for every run; it runs a shell step and idles 2 s before it archives. The controller"
                    + " has worked before. Half jars, half text."),
    STASH(
            "How long do stash and unstash take?",
            "Core keeps a gzip'ed tar; what is stashed is unstashed on the same agent. Fresh agents as above."),
    READERS(
            "And who reads a stash over a slower link?",
            "Written over TCP on loopback, once; then unstashed by another agent, and by ten at once that share the controller's link."),
    FETCH(
            "How long do artifacts of another build take to an agent?",
            "`copyArtifacts` in a Pipeline, from its start to its end: *core* is the copyartifact plugin, the others are this one in its place. Fresh agents as"
                    + " above. Where a round trip takes 20 ms, there is a twentieth of the texts and of the small files."),
    SHAPED("And over slow and long links?", "Everything the agent sends or gets passes the link, HTTP too."),
    HISTORIES(
            "And when most was in the build before?",
            "Three builds in a row, of which the second and third change a little: a class of a jar of jars, a module of a distribution, some of many reports, some bytes of a"
                    + " native binary, all of a `tar.gz`. *delta* takes what is the same from the build before; the other ways send everything. From the start of the"
                    + " build to its end, after a history that is not counted. At 100 Mbit/s also by fresh agents, as above."),
    DISK(
            "And what do ten builds take of the disk?",
            "What is used of the file system that has them (TMPDIR), by setting *sharing*, after the histories above. Reflinks need XFS or Btrfs and Java 21 or newer."),
    SLOW(
            "And on slow disks?",
            "Small files, 100 in a folder. The builds' folder (*archive*, *delete*), the workspace that is unstashed into, or the *workspace* that is archived from"
                    + " is behind FUSE, where each operation takes a time, as on a network disk, or all of them wait for one another, as on a single spindle."
                    + " *Delete* is Jenkins' own."),
    ENGINE(
            "What does each codec take, without Jenkins?",
            "Two processes in the places of an agent and a controller, sockets between them, as `./run` has them.");

    final String title;
    final String explanation;

    Section(String title, String explanation) {
        this.title = title;
        this.explanation = explanation;
    }
}
