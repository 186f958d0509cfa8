package io.jenkins.plugins.compressionaware.bench;

import com.google.gson.Gson;
import io.jenkins.plugins.compressionaware.demo.DataSet;
import io.jenkins.plugins.compressionaware.demo.Sample;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Archives many files once with each way, and measures how the controller reads and deletes them. */
final class ArtifactReads {
    /** In this order, because the last step deletes the artifacts. */
    private static final List<String> STEPS = List.of("first byte, cold", "first byte, warm", "zip of all", "delete");

    /** Number of files that are opened. */
    private static final int OPENED = 50;

    private ArtifactReads() {}

    static List<ResultRow> measure(Agents agents, List<String> ways, DataSet set) throws IOException {
        List<String> names = new ArrayList<>(set.listing().names());
        Collections.shuffle(names, new Random(1));
        List<String> opened = List.copyOf(names.subList(0, Math.min(OPENED, names.size())));
        List<ResultRow> rows = new ArrayList<>();
        agents.each(ways, (agent, way) -> {
            agent.step("archive", way, set.folder(), set.folder());
            for (String step : STEPS) {
                Sample sample = step.equals("delete")
                        ? agent.step("delete", way, set.folder(), set.folder())
                        : new Gson().fromJson(agent.call("read", Map.of("step", step, "names", opened)), Sample.class);
                sample.loading = null;
                String title = agent.jenkins().title(way);
                ResultRow row =
                        new ResultRow(Section.READ, step, set.name(), title, set.listing().bytes());
                row.samples().add(sample);
                Bench.log("%s%s", row.describe(), sample.note == null ? "" : " " + sample.note);
                rows.add(row);
            }
        });
        return rows;
    }
}
