package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.demo.DataSet;
import io.jenkins.plugins.compressionaware.demo.DataSets;
import io.jenkins.plugins.compressionaware.demo.Sample;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Measures steps of agents that have run steps before. The ways take turns. */
final class WarmAgents {
    private final DataSets dataSets;
    private final Path temp;

    WarmAgents(DataSets dataSets, Path temp) {
        this.dataSets = dataSets;
        this.temp = temp;
    }

    /** Archives a set of {@code bytes} with each way. */
    void warmUp(Agents agents, List<String> ways, long bytes, int rounds) throws IOException {
        DataSet part = dataSets.get("mix", bytes);
        for (int round = 0; round < rounds; round++) {
            boolean first = round == 0;
            agents.each(ways, (agent, way) -> agent.run("archive", way, part, temp, first));
        }
    }

    /** @param kinds consecutive steps, each with a row */
    List<ResultRow> measure(
            Section section, Agents agents, List<String> ways, List<String> kinds, DataSet set, int count)
            throws IOException, InterruptedException {
        return measure(new InterleavedRuns(count), section, agents, ways, kinds, set);
    }

    /** Adds the steps to rounds that may contain other runs, and runs all. */
    List<ResultRow> measure(
            InterleavedRuns rounds, Section section, Agents agents, List<String> ways, List<String> kinds, DataSet set)
            throws IOException, InterruptedException {
        agents.each(ways, (agent, way) -> {
            List<ResultRow> series = kinds.stream()
                    .map(kind -> new ResultRow(
                            section,
                            agent.link() + (kinds.size() > 1 ? ", " + kind : ""),
                            set.name(),
                            agent.jenkins().title(way),
                            set.listing().bytes()))
                    .toList();
            rounds.add(series, round -> run(agent, way, kinds, set, round == 0));
        });
        return rounds.run();
    }

    /** Runs consecutive steps. Loaded classes are omitted, because only fresh agents load them. */
    private List<Sample> run(AgentJvm agent, String way, List<String> kinds, DataSet set, boolean compare)
            throws IOException {
        List<Sample> samples = new ArrayList<>();
        for (String kind : kinds) {
            Sample sample = agent.run(kind, way, set, temp, compare);
            sample.loading = null;
            samples.add(sample);
        }
        return samples;
    }

    /** @param count number of agents that work at the same time */
    List<ResultRow> concurrently(
            Section section, String kind, int count, int times, Agents first, List<String> ways, DataSet set)
            throws IOException, InterruptedException {
        List<AgentJvm> others = new ArrayList<>();
        InterleavedRuns rounds = new InterleavedRuns(times);
        try {
            for (AgentJvm agent : first.all) {
                List<AgentJvm> together = new ArrayList<>(List.of(agent));
                while (together.size() < count) {
                    AgentJvm another = agent.another();
                    others.add(another);
                    together.add(another);
                }
                String link = agent.link() + ", " + count + " agents at once";
                for (String way : agent.measured(ways)) {
                    ResultRow row = new ResultRow(
                            section,
                            link,
                            set.name(),
                            agent.jenkins().title(way),
                            count * set.listing().bytes());
                    rounds.add(
                            List.of(row),
                            round -> List.of(AgentJvm.together(together, kind, way, set, temp, round == 0)));
                }
            }
            return rounds.run();
        } finally {
            for (AgentJvm other : others) {
                other.close();
            }
        }
    }
}
