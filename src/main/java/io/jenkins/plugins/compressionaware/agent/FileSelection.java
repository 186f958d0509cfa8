package io.jenkins.plugins.compressionaware.agent;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.Util;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The files of a workspace to send, by name or by pattern. */
@Restricted(NoExternalUse.class)
public sealed interface FileSelection extends Serializable {
    /** Returns the names under which files are sent, mapped to paths in the workspace. Called on the agent. */
    Map<String, String> list(File workspace) throws IOException;

    /**
     * Files listed by name, in the format of {@link io.jenkins.plugins.compressionaware.agent.BootstrapArchiveCallable}. The list is deflated, which makes it
     * a tenth as long in memory and on the network.
     */
    final class ByName implements FileSelection {
        private static final long serialVersionUID = 1L;

        private final byte[] deflated;
        private final int from;
        private final int length;

        private ByName(byte[] deflated, int from, int length) {
            this.deflated = deflated;
            this.from = from;
            this.length = length;
        }

        /** @param files names in the archive, mapped to paths in the workspace */
        public static ByName of(Map<String, String> files) throws IOException {
            String[] names = files.keySet().toArray(String[]::new);
            Arrays.sort(names);
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            DataOutputStream out = new DataOutputStream(new DeflaterOutputStream(bytes));
            try (out) {
                for (String name : names) {
                    String path = files.get(name);
                    out.writeUTF(name);
                    out.writeUTF(path.equals(name) ? "" : path.isEmpty() ? "." : path);
                }
            }
            return new ByName(bytes.toByteArray(), 0, out.size());
        }

        public byte[] deflated() {
            return deflated;
        }

        /** Returns the offset in the inflated names at which to begin, bytes. */
        public int from() {
            return from;
        }

        /** Returns the bytes of the inflated names; {@link Integer#MAX_VALUE} if there are more. */
        public int length() {
            return length;
        }

        /**
         * Returns the files from an offset on.
         *
         * @param begin offset in the inflated names, bytes
         */
        public ByName after(int begin) {
            return new ByName(deflated, begin, length);
        }

        @Override
        public Map<String, String> list(File workspace) throws IOException {
            byte[] names;
            try (InputStream inflated = new InflaterInputStream(new ByteArrayInputStream(deflated))) {
                names = inflated.readAllBytes();
            }
            DataInputStream in = new DataInputStream(new ByteArrayInputStream(names, from, names.length - from));
            Map<String, String> files = new TreeMap<>();
            while (in.available() > 0) {
                String name = in.readUTF();
                String path = in.readUTF();
                files.put(name, path.isEmpty() ? name : path);
            }
            return files;
        }
    }

    /**
     * Files that match patterns, as core would find them.
     *
     * @param includes Ant patterns, separated by commas; null or empty for all files
     * @param excludes Ant patterns to exclude; null or empty for none
     */
    record ByPattern(
            @CheckForNull String includes, @CheckForNull String excludes, boolean useDefaultExcludes)
            implements FileSelection {
        public String antIncludes() {
            return Util.fixEmpty(includes) == null ? "**" : includes;
        }

        @Override
        public Map<String, String> list(File workspace) throws IOException {
            Map<String, String> files = new HashMap<>();
            FileFinder finder = new FileFinder(Integer.MAX_VALUE);
            for (String path : finder.find(workspace, antIncludes(), excludes, useDefaultExcludes)) {
                files.put(FileFinder.name(path), path);
            }
            return files;
        }
    }
}
