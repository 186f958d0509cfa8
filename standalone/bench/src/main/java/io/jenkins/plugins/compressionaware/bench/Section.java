package io.jenkins.plugins.compressionaware.bench;

/** A part of the benchmark. */
enum Section {
    LINKS("Two processes over shaped links", "Engine and core's stream over bare sockets, without Jenkins."),
    ARCHIVE("Jenkins: archiving", "A real controller and real agents, one process each. All over the agent's channel, but for *auto-direct*."),
    TOOLS("Other tools on the same data", "From one folder to another on this machine."),
    FRESH(
            "Jenkins: the first archives of a fresh agent",
            "A new agent process with an empty jar cache for every run; it runs a shell step and idles 2 s before it archives. Half jars, half text."),
    STASH("Jenkins: stash and unstash", "Core keeps a gzip'ed tar; what is stashed is unstashed on the same agent. Fresh agents as above."),
    SHAPED("Jenkins: archiving over shaped links", "Everything the agent sends or gets passes the link, HTTP too."),
    CALLS("Jenkins: a trivial remote call during archiving", "An empty call to the agent and back, every 20 ms."),
    REPLAYS("Replays of reports", "What others measured, on this machine, and what it says about a decision of this plugin.");

    private final String title;
    private final String explanation;

    Section(String title, String explanation) {
        this.title = title;
        this.explanation = explanation;
    }

    String title() {
        return title;
    }

    String explanation() {
        return explanation;
    }
}
