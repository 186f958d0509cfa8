package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.demo.DataSet;
import io.jenkins.plugins.compressionaware.demo.DataSets;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The first steps of agents that live for one build. Every run has an agent of its own, which runs a shell step of a real build, idles and then
 * archives, stashes, unstashes or fetches. Nothing looks into the agent's JVM: that would load classes for it.
 */
final class FreshAgents {
    private static final int IDLE_MILLIS = 2_000;
    private static final List<String> ORDINALS = List.of("", ", second time", ", third time");

    private final Options options;
    private final DataSets dataSets;
    private final Path temp;
    private final Progress progress;
    private final List<RealJenkins> controllers;
    private final List<String> ways;
    private final List<Row> rows = new ArrayList<>();
    private int agents;

    FreshAgents(
            Options options,
            DataSets dataSets,
            Path temp,
            Progress progress,
            List<RealJenkins> controllers,
            List<String> ways) {
        this.options = options;
        this.dataSets = dataSets;
        this.temp = temp;
        this.progress = progress;
        this.controllers = controllers;
        this.ways = ways;
    }

    /** In all conditions. */
    List<Row> archive() throws IOException, InterruptedException {
        return measure(options.conditions, List.of("archive"));
    }

    /** On the loopback interface. */
    List<Row> stash() throws IOException, InterruptedException {
        return measure(List.of(Condition.LOOPBACK), List.of("stash", "unstash"));
    }

    /** Near and not so near. */
    List<Row> fetch() throws IOException, InterruptedException {
        return measure(
                options.conditions.stream()
                        .filter(List.of(Condition.LOOPBACK, Condition.NEAR)::contains)
                        .toList(),
                List.of("fetch"));
    }

    private List<Row> measure(List<Condition> conditions, List<String> kinds) throws IOException, InterruptedException {
        boolean ssh = options.freshTransports.contains(Transport.SSH.id());
        try (PrivateSshd sshd = ssh ? new PrivateSshd(temp.resolve("sshd-" + kinds.get(0))) : null) {
            for (Condition condition : conditions.stream().filter(any -> any != Condition.FAST).toList()) {
                for (String id : options.freshTransports) {
                    Transport transport = Transport.ofId(id);
                    if (transport == Transport.SSH && !PrivateSshd.isPossible()) {
                        missing(condition, transport, "OpenSSH is not installed");
                    } else {
                        new Setting(condition, transport, sshd).measure(kinds);
                    }
                }
            }
        }
        return rows;
    }

    private void missing(Condition condition, Transport transport, String why) {
        rows.add(Row.missing(Section.FRESH, condition.link(transport), "all", "all", why));
    }

    /** All runs over one transport in one condition. */
    private final class Setting {
        private final Condition condition;
        private final Transport transport;
        private final PrivateSshd sshd;

        Setting(Condition condition, Transport transport, PrivateSshd sshd) {
            this.condition = condition;
            this.transport = transport;
            this.sshd = sshd;
        }

        void measure(List<String> kinds) throws IOException, InterruptedException {
            List<Place> places = new ArrayList<>();
            try {
                for (RealJenkins controller : controllers) {
                    places.add(new Place(controller, condition.shape(), condition.jvmOptions(options)));
                }
                for (Map.Entry<String, Long> size : options.sizes.entrySet()) {
                    for (String kind : kinds) {
                        measure(kind, places, size.getKey(), dataSets.get(DataSets.BUILD, size.getValue()));
                    }
                }
            } finally {
                for (Place place : places) {
                    place.close();
                }
            }
        }

        private void measure(String kind, List<Place> places, String size, DataSet set)
                throws IOException, InterruptedException {
            boolean archive = kind.equals("archive");
            boolean stash = kind.endsWith("stash");
            String link = condition.link(transport);
            Rounds rounds = new Rounds(options.rounds, progress);
            for (Place place : places) {
                for (String way : place.jenkins().measured(ways)) {
                    if (!stash || place.jenkins().stashes(way)) {
                        List<Row> series = ORDINALS.stream()
                                .limit(times())
                                .map(ordinal -> new Row(
                                        archive ? Section.FRESH : stash ? Section.STASH : Section.FETCH,
                                        (archive ? link : link + ", fresh" + (stash ? ", " + kind : "")) + ordinal,
                                        size,
                                        place.jenkins().title(way),
                                        set.listing().bytes()))
                                .toList();
                        rounds.add(series, round -> life(kind, place, set, way));
                    }
                }
            }
            rows.addAll(rounds.run());
        }

        /** How often each agent does it. */
        private int times() {
            if (options.archives != null) {
                return options.archives;
            }
            return condition == Condition.LOOPBACK ? ORDINALS.size() : 1;
        }

        /** Of one agent. */
        private List<Sample> life(String kind, Place place, DataSet set, String way)
                throws IOException, InterruptedException {
            RealJenkins jenkins = place.jenkins();
            if (kind.equals("unstash")) {
                try (AgentJvm builder = new AgentJvm(place, "fresh-" + ++agents, transport, sshd)) {
                    jenkins.step(builder, "stash", way, set.folder(), set.folder());
                }
            } else if (kind.equals("fetch")) {
                try (AgentJvm builder = new AgentJvm(place, "fresh-" + ++agents, transport, sshd)) {
                    jenkins.source(builder, set.folder());
                }
            }
            List<Sample> samples = new ArrayList<>();
            try (AgentJvm agent = new AgentJvm(place, "fresh-" + ++agents, transport, sshd)) {
                jenkins.ask("shellStep", Map.of("agent", agent.name()));
                Thread.sleep(IDLE_MILLIS);
                for (int i = 0; i < times(); i++) {
                    long classes = agent.loadedClasses();
                    Sample sample = Steps.run(jenkins, agent, kind, way, set, temp, true);
                    samples.add(sample.with(sample.loading().withClasses(agent.loadedClasses() - classes)));
                }
            }
            return samples;
        }
    }
}
