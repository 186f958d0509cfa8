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
 * @param agent        slowness of the agent's processor; 1 is the measured speed
 * @param controller   slowness of the controller's processor
 * @param read         nanoseconds per raw byte to read files
 * @param unpack       nanoseconds per raw byte to write files, before the controller's slowness
 * @param channel      nanoseconds per wire byte in the writing thread, before the agent's slowness
 * @param blocks       number of blocks of 256 KiB
 * @param data         nature of each block
 * @param disturbance  temporary load
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

    /** Returns bytes per nanosecond. */
    double bandwidth() {
        return megabits / 8 * 1e6 / 1e9;
    }

    /** The target is four times slower during parts of the transfer. Parts are defined by blocks, so that a faster choice does not escape them. */
    record Disturbance(Target target, List<double[]> spans) {
        enum Target {
            NOTHING,
            AGENT,
            CONTROLLER,
            LINK
        }

        static final Disturbance NONE = new Disturbance(Target.NOTHING, List.of());

        double factor(Target affected, double progress) {
            if (affected != target) {
                return 1;
            }
            return spans.stream().anyMatch(span -> progress >= span[0] && progress < span[1]) ? 4 : 1;
        }
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%s, %.0f MB, %.0f Mbit/s, %.1f ms, %d lanes, %d threads, agent %.2g, controller %.2g, read %.2g,"
                        + " unpack %.2g, channel %.2g, %s disturbed",
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
                disturbance.target());
    }
}
