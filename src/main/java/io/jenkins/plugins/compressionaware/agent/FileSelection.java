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

/** The files of a workspace to send. */
@Restricted(NoExternalUse.class)
public sealed interface FileSelection extends Serializable {
    /** Names under which files are sent, mapped to paths in the workspace. On the agent. */
    Map<String, String> list(File workspace) throws IOException;

    /**
     * Files that are known, in the form of {@link io.jenkins.plugins.compressionaware.agent.BootstrapArchiveCallable}: deflated names are a tenth as long, in the heap
     * and on the way.
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

        /** Where to begin in the inflated names, bytes. */
        public int from() {
            return from;
        }

        /** Bytes of the inflated names; the largest {@code int} if there are more. */
        public int length() {
            return length;
        }

        /**
         * The same without the files before.
         *
         * @param begin where to begin in the inflated names, bytes
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
     * The files that core would find.
     *
     * @param includes patterns of Ant, separated by commas; null or empty for all
     * @param excludes the same, to leave out; null or empty for none
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
            for (String path : FileFinder.find(workspace, antIncludes(), excludes, useDefaultExcludes)) {
                files.put(FileFinder.name(path), path);
            }
            return files;
        }
    }
}
