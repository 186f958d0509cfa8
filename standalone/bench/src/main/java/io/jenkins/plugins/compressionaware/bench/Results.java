package io.jenkins.plugins.compressionaware.bench;

import java.util.List;

/**
 * All that a run of the benchmark has to say.
 *
 * @param command  with which it was started
 * @param date     of the day, ISO 8601
 * @param dataSets what each consists of
 */
record Results(
        String command,
        String date,
        Machine machine,
        int rounds,
        List<String> dataSets,
        List<Row> rows) {}
