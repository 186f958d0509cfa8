package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.bench.RealJenkins.Step;
import io.jenkins.plugins.compressionaware.demo.TempFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The first archives of agents that live for one build. Every run has an agent of its own, which runs a shell step of a real build, idles and
 * then archives. Nothing looks into the agent's JVM: that would load classes for it.
 */
final class FreshAgents {
    private static final int IDLE_MILLIS = 2_000;
    private static final List<String> ORDINALS = List.of("", ", second", ", third");

    private final Options options;
    private final DataSets dataSets;
    private final Path temp;
    private final Progress progress;
    private final List<RealJenkins> controllers;
    private final List<Row> rows = new ArrayList<>();
    private int agents;

    FreshAgents(Options options, DataSets dataSets, Path temp, Progress progress, List<RealJenkins> controllers) {
        this.options = options;
        this.dataSets = dataSets;
        this.temp = temp;
        this.progress = progress;
        this.controllers = controllers;
    }

    List<Row> measure(List<String> ways) throws IOException, InterruptedException {
        List<Transport> transports =
                options.freshTransports.stream().map(Transport::ofId).toList();
        boolean ssh = transports.contains(Transport.SSH);
        try (PrivateSshd sshd = ssh ? new PrivateSshd(temp.resolve("sshd-fresh")) : null) {
            for (Condition condition : options.conditions) {
                for (Transport transport : transports) {
                    if (transport == Transport.SSH && !PrivateSshd.isPossible()) {
                        missing(condition, transport, "OpenSSH is not installed");
                    } else {
                        measure(condition, transport, sshd, ways);
                    }
                }
            }
        }
        return rows;
    }

    private void missing(Condition condition, Transport transport, String why) {
        rows.add(Row.missing(Section.FRESH, condition.link(transport), "all", "all", why));
    }

    private void measure(Condition condition, Transport transport, PrivateSshd sshd, List<String> ways)
            throws IOException, InterruptedException {
        CpuQuota quota;
        try {
            quota = condition == Condition.HALF_CPU ? new CpuQuota() : null;
        } catch (IOException e) {
            missing(condition, transport, "no control group: " + e);
            return;
        }
        List<Place> places = new ArrayList<>();
        try (quota) {
            try {
                for (RealJenkins controller : controllers) {
                    places.add(new Place(controller, condition.shape(), condition.jvmOptions(options), quota));
                }
                for (Map.Entry<String, Long> size : options.sizes.entrySet()) {
                    measure(condition, transport, sshd, places, ways, size.getKey(), size.getValue());
                }
            } finally {
                for (Place place : places) {
                    place.close();
                }
            }
        }
    }

    private void measure(
            Condition condition,
            Transport transport,
            PrivateSshd sshd,
            List<Place> places,
            List<String> ways,
            String size,
            long bytes)
            throws IOException, InterruptedException {
        DataSet set = dataSets.get(DataSets.BUILD, bytes);
        Rounds rounds = new Rounds(options.rounds(), progress);
        for (Place place : places) {
            for (String way : place.jenkins().measured(ways)) {
                List<Row> archives = ORDINALS.stream()
                        .limit(options.archives)
                        .map(ordinal -> new Row(
                                Section.FRESH,
                                condition.link(transport),
                                size + ordinal,
                                place.jenkins().title(way),
                                set.listing().bytes()))
                        .toList();
                rounds.add(archives, round -> life(place, transport, sshd, set, way, archives.size()));
            }
        }
        rows.addAll(rounds.run());
    }

    /** Of one agent. */
    private List<Sample> life(
            Place place, Transport transport, PrivateSshd sshd, DataSet set, String way, int archives)
            throws IOException, InterruptedException {
        List<Sample> samples = new ArrayList<>();
        try (AgentJvm agent = new AgentJvm(place, "fresh-" + ++agents, transport, sshd)) {
            place.jenkins().ask("shellStep", Map.of("agent", agent.name()));
            for (int i = 0; i < archives; i++) {
                samples.add(archive(place.jenkins(), agent, set, way, i == 0 ? IDLE_MILLIS : 0));
            }
        }
        return samples;
    }

    private static Sample archive(RealJenkins jenkins, AgentJvm agent, DataSet set, String way, int idle)
            throws IOException, InterruptedException {
        long classes = agent.loadedClasses();
        jenkins.jvm().reset();
        Step step = jenkins.step(agent, way, set, idle);
        Loading loading = step.loading().withClasses(agent.loadedClasses() - classes);
        Sample sample = new Sample(
                step.seconds(),
                step.wireBytes(),
                step.agentCpu(),
                step.controllerCpu(),
                null,
                jenkins.jvm().peakHeap(),
                loading,
                step.log().isBlank() ? null : step.log().strip());
        Trees.same(way, set, step.archive());
        TempFolder.delete(step.archive());
        return sample;
    }
}
