package io.jenkins.plugins.compressionaware.bench;

import io.jenkins.plugins.compressionaware.demo.Comparison;
import io.jenkins.plugins.compressionaware.demo.DataSet;
import io.jenkins.plugins.compressionaware.demo.DataSets;
import io.jenkins.plugins.compressionaware.demo.Measurement;
import io.jenkins.plugins.compressionaware.demo.Way;
import io.jenkins.plugins.compressionaware.demo.WorkPlace;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The demo's two processes with each data set: what can be measured where Jenkins cannot be started. */
final class EngineBench {
    /** Of a data set if nothing is said, bytes. */
    static final long SIZE = 128L << 20;

    private EngineBench() {}

    static List<Row> measure(Options options, DataSets dataSets, WorkPlace place) throws IOException, InterruptedException {
        List<Row> rows = new ArrayList<>();
        for (String name : options.data) {
            DataSet set = dataSets.get(name, options.size == null ? SIZE : options.size);
            System.out.println(set.describe());
            Map<Way, List<Measurement>> measured =
                    new Comparison(set.folder(), set.listing(), place, System.out).run(options.rounds).all();
            measured.forEach((way, measurements) -> {
                Row row = new Row(
                        Section.ENGINE,
                        "sockets",
                        name,
                        way == Way.CORE ? "core" : way.id(),
                        set.listing().bytes());
                measurements.forEach(m -> row.samples().add(sample(m)));
                rows.add(row);
            });
        }
        return rows;
    }

    private static Sample sample(Measurement measurement) {
        return new Sample(
                measurement.wallSeconds(),
                measurement.received().wireBytes(),
                measurement.agentCpuSeconds(),
                measurement.controllerCpuSeconds(),
                null,
                null,
                null,
                measurement.remark().isEmpty() ? null : measurement.remark());
    }
}
