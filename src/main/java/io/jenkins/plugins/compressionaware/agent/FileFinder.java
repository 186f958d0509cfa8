package io.jenkins.plugins.compressionaware.agent;

import hudson.util.DirScanner;
import hudson.util.FileVisitor;
import java.io.File;
import java.io.IOException;
import java.util.TreeSet;

/** Finds the files of a stash as core does. */
final class FileFinder extends FileVisitor {
    private final TreeSet<String> paths = new TreeSet<>();

    private FileFinder() {}

    /** Returns the paths of all files and links, see {@link FileSelection.ByPattern}. */
    static TreeSet<String> find(File folder, String includes, String excludes, boolean useDefaultExcludes)
            throws IOException {
        FileFinder finder = new FileFinder();
        new DirScanner.Glob(includes, excludes, useDefaultExcludes).scan(folder, finder);
        return finder.paths;
    }

    /** Returns the name in a tar, as core writes it. */
    static String name(String path) {
        return File.separatorChar == '\\' ? path.replace('\\', '/') : path;
    }

    @Override
    public void visit(File file, String path) {
        paths.add(path);
    }

    @Override
    public void visitSymlink(File link, String target, String path) {
        paths.add(path);
    }

    @Override
    public boolean understandsSymlink() {
        return true;
    }
}
