package io.jenkins.plugins.compressionaware.bench;

import java.util.Arrays;

/** Figures of several runs. */
record Spread(double... figures) {
    Spread {
        figures = figures.clone();
        Arrays.sort(figures);
    }

    double median() {
        return (figures[(figures.length - 1) / 2] + figures[figures.length / 2]) / 2;
    }

    double least() {
        return figures[0];
    }

    double greatest() {
        return figures[figures.length - 1];
    }
}
