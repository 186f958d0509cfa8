package io.jenkins.plugins.compressionaware.packed;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import edu.umd.cs.findbugs.annotations.NonNull;
import io.jenkins.plugins.compressionaware.engine.packed.PackedArchive;
import io.jenkins.plugins.compressionaware.engine.packed.PackedFile;
import io.jenkins.plugins.compressionaware.engine.tar.TarEntry;
import io.jenkins.plugins.compressionaware.store.ObjectStores;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.URL;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import jenkins.util.VirtualFile;
import org.apache.tools.ant.DirectoryScanner;
import org.apache.tools.ant.types.selectors.TokenizedPath;
import org.apache.tools.ant.types.selectors.TokenizedPattern;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** A file or folder among the artifacts of a build that has packed artifacts. Answers as core's file does for artifacts that are not packed. */
@Restricted(NoExternalUse.class)
public final class PackedVirtualFile extends VirtualFile {
    private static final long serialVersionUID = 1;

    private final File archive;

    /** Below the archive; empty for the archive itself. */
    private final String path;

    /** Volatile, as the next two, because a folder passes what it knows on without the lock. */
    private transient volatile ArtifactTree tree;

    private transient volatile ArtifactTree.Node node;
    private transient volatile boolean resolved;

    private PackedVirtualFile(File archive, String path, ArtifactTree tree) {
        this.archive = archive;
        this.path = path;
        this.tree = tree;
    }

    /**
     * Returns the artifacts of a build.
     *
     * @param archive folder of the artifacts
     * @return null if none of them are packed
     */
    @CheckForNull
    public static VirtualFile rootOf(File archive) {
        try {
            PackedArchive packed = PackedArchive.of(archive.toPath());
            return packed == null ? null : new PackedVirtualFile(archive, "", new ArtifactTree(archive, packed));
        } catch (IOException e) {
            return new PackedVirtualFile(archive, "", null); // each use fails with the reason
        }
    }

    /** See {@link ArtifactTree#archives}. */
    public List<Path> archives() throws IOException {
        return tree().archives();
    }

    /**
     * Returns the packed archives of the files that {@link #list} returns, with their entries by position.
     *
     * @return null if one of the files is a link, is below a link, or is not packed
     */
    @CheckForNull
    public Map<PackedFile, List<TarEntry>> select(String includes, @CheckForNull String excludes) throws IOException {
        Map<PackedFile, List<TarEntry>> selected = new LinkedHashMap<>();
        int[] others = new int[1];
        visit(includes, excludes, false, new OpenOption[0], (name, file) -> {
            ArtifactTree.Node found = file.node();
            if (found == null || found.found() == null || !found.path().equals(name)) {
                others[0]++;
            } else {
                selected.computeIfAbsent(found.found().file(), each -> new ArrayList<>())
                        .add(found.found().entry());
            }
        });
        selected.values().forEach(entries -> entries.sort(Comparator.comparingLong(TarEntry::position)));
        return others[0] > 0 ? null : selected;
    }

    private synchronized ArtifactTree tree() throws IOException {
        if (tree == null) { // after a deserialization
            PackedArchive packed = PackedArchive.of(archive.toPath());
            if (packed == null) {
                throw new FileNotFoundException("There are no packed artifacts in " + archive);
            }
            tree = new ArtifactTree(archive, packed);
        }
        return tree;
    }

    @CheckForNull
    private synchronized ArtifactTree.Node node() throws IOException {
        if (!resolved) {
            node = tree().resolve(path);
            resolved = true;
        }
        return node;
    }

    @NonNull
    @Override
    public String getName() {
        return path.isEmpty() ? archive.getName() : path.substring(path.lastIndexOf('/') + 1);
    }

    @NonNull
    @Override
    public URI toURI() {
        return new File(archive, path).toURI();
    }

    @Override
    public VirtualFile getParent() {
        return path.isEmpty()
                ? VirtualFile.forFile(archive).getParent()
                : new PackedVirtualFile(archive, path.substring(0, Math.max(0, path.lastIndexOf('/'))), tree);
    }

    @Override
    public boolean isDirectory() throws IOException {
        ArtifactTree.Node found = node();
        return found != null && found.isFolder();
    }

    @Override
    public boolean isFile() throws IOException {
        ArtifactTree.Node found = node();
        return found != null && !found.isFolder();
    }

    @Override
    public boolean exists() throws IOException {
        return node() != null;
    }

    @Override
    public String readLink() throws IOException {
        return tree().readLink(path);
    }

    @NonNull
    @Override
    public VirtualFile[] list() throws IOException {
        ArtifactTree.Node found = node();
        if (found == null || !found.isFolder()) {
            return new VirtualFile[0];
        }
        List<VirtualFile> children = new ArrayList<>();
        tree().list(found.path()).forEach((name, known) -> {
            PackedVirtualFile child = (PackedVirtualFile) child(name);
            child.node = known;
            child.resolved = known != null;
            children.add(child);
        });
        return children.toArray(VirtualFile[]::new);
    }

    /**
     * Returns the files in the order of their names, which is about the order in which they are stored, so that reading them one by one decodes each block
     * once. As core does, lists a link that leads nowhere. A backslash stays one; core returns a slash instead, and such a file cannot be opened.
     */
    @NonNull
    @Override
    public Collection<String> list(
            @NonNull String includes,
            @CheckForNull String excludes,
            boolean useDefaultExcludes,
            @NonNull OpenOption... options)
            throws IOException {
        Collection<String> names = new TreeSet<>();
        visit(includes, excludes, useDefaultExcludes, options, (name, file) -> names.add(name));
        return names;
    }

    /** Takes one file after the other, so that not all names are in memory. */
    private interface Visitor {
        void visit(String name, PackedVirtualFile file) throws IOException;
    }

    private void visit(
            String includes, String excludes, boolean useDefaultExcludes, OpenOption[] options, Visitor visitor)
            throws IOException {
        List<TokenizedPattern> included = patterns(includes);
        List<TokenizedPattern> excluded = new ArrayList<>(patterns(excludes));
        if (useDefaultExcludes) {
            excluded.addAll(patterns(String.join(",", DirectoryScanner.getDefaultExcludes())));
        }
        visit("", !Arrays.asList(options).contains(LinkOption.NOFOLLOW_LINKS), (name, file) -> {
            TokenizedPath tokens = new TokenizedPath(name.replace('/', File.separatorChar));
            if (included.stream().anyMatch(pattern -> pattern.matchPath(tokens, true))
                    && excluded.stream().noneMatch(pattern -> pattern.matchPath(tokens, true))) {
                visitor.visit(name, file);
            }
        });
    }

    private static List<TokenizedPattern> patterns(@CheckForNull String globs) {
        return Arrays.stream((globs == null ? "" : globs).split(","))
                .map(glob -> (glob.endsWith("/") ? glob + "**" : glob).trim().replace('/', File.separatorChar))
                .map(TokenizedPattern::new)
                .toList();
    }

    private void visit(String prefix, boolean followsLinks, Visitor visitor) throws IOException {
        for (VirtualFile each : list()) {
            PackedVirtualFile child = (PackedVirtualFile) each;
            ArtifactTree.Node found = child.node();
            if (followsLinks || found != null && found.path().equals(child.path)) {
                if (child.isDirectory()) {
                    child.visit(prefix + child.getName() + '/', followsLinks, visitor);
                } else {
                    visitor.visit(prefix + child.getName(), child);
                }
            }
        }
    }

    /** Writes the files in about the order in which they are stored. Leaves out links that lead nowhere. Waits while many large zip files are written. */
    @Override
    public int zip(
            OutputStream out,
            String includes,
            String excludes,
            boolean useDefaultExcludes,
            String prefix,
            OpenOption... options)
            throws IOException {
        String folder = prefix == null || prefix.isBlank() ? "" : prefix.endsWith("/") ? prefix : prefix + '/';
        try (PackedZip zip = new PackedZip(out, tree().entryPages())) {
            visit(includes, excludes, useDefaultExcludes, options, (name, file) -> {
                ArtifactTree.Node found = file.node();
                if (found != null) {
                    zip.add(folder + name.replace('\\', '/'), found);
                }
            });
            return zip.finish();
        }
    }

    @NonNull
    @Override
    public VirtualFile child(@NonNull String name) {
        String relative = name.replaceAll("/+", "/").replaceAll("^/|/$", "");
        String below = path.isEmpty() || relative.isEmpty() ? path + relative : path + '/' + relative;
        return new PackedVirtualFile(archive, below, tree);
    }

    @Override
    public long length() throws IOException {
        ArtifactTree.Node found = node();
        return found == null ? 0 : found.length();
    }

    @Override
    public long lastModified() throws IOException {
        ArtifactTree.Node found = node();
        return found == null ? 0 : found.lastModified();
    }

    @Override
    public int mode() throws IOException {
        ArtifactTree.Node found = node();
        return found == null ? -1 : found.mode();
    }

    @Override
    public boolean canRead() throws IOException {
        ArtifactTree.Node found = node();
        return found != null
                && (found.found() != null || VirtualFile.forFile(found.file()).canRead());
    }

    /** Returns a URL of the store, which is valid for some minutes, for a file that is an object of its own. */
    @CheckForNull
    @Override
    public URL toExternalURL() throws IOException {
        ArtifactTree.Node found = node();
        PackedArchive.Found packed = found == null ? null : found.found();
        return packed == null || !packed.isObject()
                ? null
                : ObjectStores.url(packed.file().object(packed.entry()));
    }

    @Override
    public InputStream open() throws IOException {
        ArtifactTree.Node found = node();
        if (found == null) {
            throw new FileNotFoundException(path);
        }
        return found.open();
    }
}
