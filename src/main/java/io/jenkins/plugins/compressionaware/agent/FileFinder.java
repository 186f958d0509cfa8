package io.jenkins.plugins.compressionaware.agent;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import edu.umd.cs.findbugs.annotations.Nullable;
import java.io.File;
import java.util.Collections;
import java.util.List;
import java.util.StringTokenizer;
import java.util.TreeSet;
import org.apache.tools.ant.BuildException;
import org.apache.tools.ant.Project;
import org.apache.tools.ant.types.FileSet;
import org.apache.tools.ant.types.selectors.FileSelector;

/** Finds the files of a stash as core's {@link hudson.util.DirScanner.Glob} does, which cannot give up. */
final class FileFinder implements FileSelector {
    private final int most;
    private int files;

    /** @param most maximum number of files; a search that finds more gives up */
    FileFinder(int most) {
        this.most = most;
    }

    /** Returns the paths of all files and links, see {@link FileSelection.ByPattern}; null if there are too many. */
    @Nullable
    TreeSet<String> find(File folder, String includes, @CheckForNull String excludes, boolean useDefaultExcludes) {
        FileSet set = new FileSet();
        set.setProject(new Project());
        set.setDir(folder);
        set.setDefaultexcludes(useDefaultExcludes);
        for (Object pattern : patterns(includes)) { // without lambdas, which are classes that a small stash would load
            set.createInclude().setName(pattern.toString().trim());
        }
        for (Object pattern : patterns(excludes == null ? "" : excludes)) {
            set.createExclude().setName(pattern.toString().trim());
        }
        set.appendSelector(this);
        if (!folder.exists()) {
            return new TreeSet<>();
        }
        try {
            return new TreeSet<>(List.of(set.getDirectoryScanner().getIncludedFiles()));
        } catch (BuildException e) {
            if (files > most) {
                return null;
            }
            throw e;
        }
    }

    private static List<Object> patterns(String patterns) {
        return Collections.list(new StringTokenizer(patterns, ","));
    }

    /** Counts a file that matches the patterns. */
    @Override
    public boolean isSelected(File folder, String path, File file) {
        if (!file.isDirectory() && ++files > most) {
            throw new BuildException("too many files");
        }
        return true;
    }

    /** Returns the number of files that the search has met so far. */
    int files() {
        return files;
    }

    /** Returns the name in a tar, as core writes it. */
    static String name(String path) {
        return File.separatorChar == '\\' ? path.replace('\\', '/') : path;
    }
}
