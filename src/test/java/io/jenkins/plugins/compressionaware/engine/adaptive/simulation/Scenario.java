package io.jenkins.plugins.compressionaware.engine.adaptive.simulation;

import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;

/**
 * One transfer to simulate.
 *
 * @param name         of the data
 * @param megabits     link, Mbit/s
 * @param roundTrip    nanoseconds
 * @param lanes        streams
 * @param threads      compress threads
 * @param agent        slowness of the agent's processor, 1 as measured
 * @param controller   slowness of the controller's processor
 * @param read         nanoseconds per raw byte to read files
 * @param unpack       nanoseconds per raw byte to write files, before the controller's slowness
 * @param channel      nanoseconds per wire byte in the writing thread, before the agent's slowness
 * @param blocks       number of blocks of 256 KiB
 * @param data         nature of each block
 * @param disturbance  load that comes and goes
 */
record Scenario(
        String name,
        double megabits,
        double roundTrip,
        int lanes,
        int threads,
        double agent,
        double controller,
        double read,
        double unpack,
        double channel,
        int blocks,
        IntFunction<SimData> data,
        Disturbance disturbance,
        long seed) {

    static final int BLOCK = 256 * 1024;

    /** Bytes per nanosecond. */
    double bandwidth() {
        return megabits / 8 * 1e6 / 1e9;
    }

    /** What is four times slower, and during which part of the blocks. Parts are told by progress, lest a faster choice outruns them. */
    record Disturbance(What what, List<double[]> spans) {
        enum What {
            NOTHING,
            AGENT,
            CONTROLLER,
            LINK
        }

        static final Disturbance NONE = new Disturbance(What.NOTHING, List.of());

        double factor(What which, double progress) {
            if (which != what) {
                return 1;
            }
            return spans.stream().anyMatch(span -> progress >= span[0] && progress < span[1]) ? 4 : 1;
        }
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%s, %.0f MB, %.0f Mbit/s, %.1f ms, %d lanes, %d threads, agent %.2g, controller %.2g, read %.2g, unpack %.2g, channel %.2g, %s disturbed",
                name,
                blocks * (double) BLOCK / 1e6,
                megabits,
                roundTrip / 1e6,
                lanes,
                threads,
                agent,
                controller,
                read,
                unpack,
                channel,
                disturbance.what());
    }
}
