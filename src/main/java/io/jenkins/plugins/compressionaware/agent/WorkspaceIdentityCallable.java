package io.jenkins.plugins.compressionaware.agent;

import hudson.remoting.VirtualChannel;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import jenkins.agents.ControllerToAgentFileCallable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Returns facts by which the controller recognizes a workspace after its agent has connected again: the folder, the agent's process, and entries of the folder,
 * because a deleted folder and its successor can have the same identity. A fresh agent runs the call while it starts the engine, so the call has no stream and
 * no text of a time, which load 130 classes of the JDK.
 */
@Restricted(NoExternalUse.class)
public final class WorkspaceIdentityCallable implements ControllerToAgentFileCallable<HashSet<String>> {
    private static final long serialVersionUID = 1L;
    private static final String FOLDER = "folder ";
    private static final String PROCESS = "process ";
    private static final int MAX_ENTRIES = 32;

    @Override
    public HashSet<String> invoke(File workspace, VirtualChannel channel) throws IOException {
        ProcessHandle process = ProcessHandle.current();
        HashSet<String> facts = new HashSet<>();
        facts.add(FOLDER + identity(Files.readAttributes(workspace.toPath(), BasicFileAttributes.class)));
        Optional<String> known = process(process.pid(), process.info().startInstant());
        if (known.isPresent()) {
            facts.add(known.get());
        }
        String[] names = workspace.list();
        if (names == null) { // not readable
            return facts;
        }
        Arrays.sort(names);
        for (int i = 0; i < Math.min(names.length, MAX_ENTRIES); i++) {
            try {
                BasicFileAttributes entry = Files.readAttributes(
                        workspace.toPath().resolve(names[i]), BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
                // the time of a folder changes with its files
                String content = entry.isDirectory() ? "" : entry.size() + " " + micros(entry.lastModifiedTime());
                facts.add("entry " + names[i] + " " + identity(entry) + " " + content);
            } catch (NoSuchFileException e) {
                // deleted meanwhile
            }
        }
        return facts;
    }

    /** Returns a process; nothing if its start is unknown, because others can have its number: 1 in each container. */
    static Optional<String> process(long number, Optional<Instant> start) {
        return start.isEmpty()
                ? Optional.empty()
                : Optional.of(PROCESS + number + " " + start.get().toEpochMilli());
    }

    private static String identity(BasicFileAttributes file) {
        return String.valueOf(file.fileKey() == null ? micros(file.creationTime()) : file.fileKey());
    }

    private static long micros(FileTime time) {
        return time.to(TimeUnit.MICROSECONDS);
    }

    /** Returns whether the folder has the same identity, and the process or one of the entries is the same, too. */
    public static boolean isSame(Set<String> before, Set<String> now) {
        Set<String> equal = new HashSet<>(before);
        equal.retainAll(now);
        return equal.size() > 1 && equal.stream().anyMatch(fact -> fact.startsWith(FOLDER));
    }

    /** Returns whether the process is the same, so that its machine has lost no file. An agent may start another JVM in its process. */
    public static boolean isSameProcess(Set<String> before, Set<String> now) {
        return before.stream().anyMatch(fact -> fact.startsWith(PROCESS) && now.contains(fact));
    }
}
