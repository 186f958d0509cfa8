package io.jenkins.plugins.compressionaware.agent;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.Util;
import hudson.util.DirScanner;
import hudson.util.FileVisitor;
import java.io.File;
import java.io.IOException;
import java.io.Serializable;
import java.util.HashMap;
import java.util.Map;

/** Which files of a workspace are sent. */
public sealed interface Selection extends Serializable {
    /** Name under which a file is sent to its path in the workspace. On the agent. */
    Map<String, String> in(File workspace) throws IOException;

    /** Files that are known. */
    final class Named implements Selection {
        private static final long serialVersionUID = 1L;

        private final HashMap<String, String> files;

        public Named(HashMap<String, String> files) {
            this.files = files;
        }

        HashMap<String, String> files() {
            return files;
        }

        @Override
        public Map<String, String> in(File workspace) {
            return files;
        }
    }

    /**
     * Files that core would find.
     *
     * @param includes patterns of Ant, separated by commas; null or empty for all
     * @param excludes the same, for none
     */
    record Matching(
            @CheckForNull String includes, @CheckForNull String excludes, boolean useDefaultExcludes)
            implements Selection {
        String antIncludes() {
            return Util.fixEmpty(includes) == null ? "**" : includes;
        }

        @Override
        public Map<String, String> in(File workspace) throws IOException {
            Map<String, String> files = new HashMap<>();
            new DirScanner.Glob(antIncludes(), excludes, useDefaultExcludes).scan(workspace, new FileVisitor() {
                @Override
                public void visit(File file, String path) {
                    // core does so before it writes a name into a tar
                    String name = File.separatorChar == '\\' ? path.replace('\\', '/') : path;
                    files.put(name, path);
                }

                @Override
                public void visitSymlink(File link, String target, String path) {
                    visit(link, path);
                }

                @Override
                public boolean understandsSymlink() {
                    return true;
                }
            });
            return files;
        }
    }
}
