package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.demo.DataSet;
import io.jenkins.plugins.compressionaware.demo.DataSets;
import io.jenkins.plugins.compressionaware.demo.Sample;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures the first steps of agents that live for one build. Each run starts a new agent, which runs a shell step and
 * idles before the measured step. The measurement never queries the agent's JVM, because a query would load classes.
 */
final class FreshAgents {
    private static final List<String> ORDINALS = List.of("", ", second time", ", third time");

    private final Options options;
    private final DataSets dataSets;
    private final Path temp;
    private final List<RealJenkins> controllers;
    private final List<String> ways;

    FreshAgents(Options options, DataSets dataSets, Path temp, List<RealJenkins> controllers, List<String> ways) {
        this.options = options;
        this.dataSets = dataSets;
        this.temp = temp;
        this.controllers = controllers;
        this.ways = ways;
    }

    /** @param kinds steps to measure, each with new agents */
    List<ResultRow> measure(Section section, List<Condition> conditions, List<String> kinds)
            throws IOException, InterruptedException {
        List<ResultRow> rows = new ArrayList<>();
        for (Transport transport : options.transports) {
            boolean ssh = transport == Transport.SSH;
            if (ssh && PrivateSshd.program().isEmpty()) {
                rows.add(ResultRow.missing(section, transport.title, "all", "all", "OpenSSH is not installed"));
                continue;
            }
            try (PrivateSshd sshd = ssh ? new PrivateSshd(temp.resolve("sshd-" + kinds.get(0))) : null) {
                for (Condition condition : conditions.stream()
                        .filter(any -> any.bitsPerSecond < Condition.FAST.bitsPerSecond)
                        .toList()) {
                    for (Options.Size size : options.sizes) {
                        for (String kind : kinds) {
                            String link = condition.link(transport)
                                    + (section == Section.FRESH ? "" : ", fresh")
                                    + (kinds.size() > 1 ? ", " + kind : "");
                            rows.addAll(measure(
                                    section,
                                    condition,
                                    transport,
                                    network -> new AgentJvm(
                                            network, transport, sshd, ways.contains(JenkinsBench.DIRECT_HTTPS)),
                                    link,
                                    size,
                                    kind));
                        }
                    }
                }
            }
        }
        return rows;
    }

    private interface Starter {
        AgentJvm start(NetworkSetup network) throws IOException;
    }

    private List<ResultRow> measure(
            Section section,
            Condition condition,
            Transport transport,
            Starter agents,
            String link,
            Options.Size size,
            String kind)
            throws IOException, InterruptedException {
        List<String> ordinals = condition == Condition.LOOPBACK ? ORDINALS : ORDINALS.subList(0, 1);
        DataSet set = dataSets.get(DataSets.BUILD, size.bytes());
        InterleavedRuns rounds = new InterleavedRuns(options.rounds);
        try (Agents none = new Agents(controllers, condition, List.of())) {
            for (NetworkSetup network : none.networks) {
                for (String way : transport.measured(network.jenkins.measured(ways))) {
                    String title = network.jenkins.title(way);
                    List<ResultRow> series = ordinals.stream()
                            .map(ordinal -> new ResultRow(
                                    section,
                                    link + ordinal,
                                    size.name(),
                                    title,
                                    set.listing().bytes()))
                            .toList();
                    rounds.add(series, round -> life(agents, network, kind, way, set, series.size()));
                }
            }
            return rounds.run();
        }
    }

    /** Measures consecutive steps of one new agent. */
    private List<Sample> life(Starter agents, NetworkSetup network, String kind, String way, DataSet set, int times)
            throws IOException, InterruptedException {
        if (kind.equals("unstash") || kind.equals("fetch")) {
            try (AgentJvm builder = agents.start(network)) {
                if (kind.equals("fetch")) {
                    builder.source(set.folder());
                } else {
                    builder.step("stash", way, set.folder(), set.folder());
                }
            }
        }
        List<Sample> samples = new ArrayList<>();
        try (AgentJvm agent = agents.start(network)) {
            agent.settle();
            for (int i = 0; i < times; i++) {
                long classes = agent.loadedClasses();
                Sample sample = agent.run(kind, way, set, temp, true);
                sample.loading = sample.loading.withClasses(agent.loadedClasses() - classes);
                samples.add(sample);
            }
        }
        return samples;
    }
}
