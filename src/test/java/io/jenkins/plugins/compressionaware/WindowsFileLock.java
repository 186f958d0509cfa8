package io.jenkins.plugins.compressionaware;

import hudson.remoting.VirtualChannel;
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;
import jenkins.MasterToSlaveFileCallable;

/** Opens a file so that no other program can open it, or closes the file again. Only Windows supports this. */
final class WindowsFileLock extends MasterToSlaveFileCallable<Boolean> {
    private static final long serialVersionUID = 1;
    private static FileChannel held;

    @Override
    public Boolean invoke(File file, VirtualChannel channel) throws IOException {
        if (held != null) {
            held.close();
            held = null;
            return false;
        }
        try {
            // NOSHARE_READ and its siblings, which are not part of a standard API
            Object[] exclusively =
                    Class.forName("com.sun.nio.file.ExtendedOpenOption").getEnumConstants();
            Set<OpenOption> options = new HashSet<>(Set.of(StandardOpenOption.READ));
            Stream.of(exclusively).forEach(option -> options.add((OpenOption) option));
            held = FileChannel.open(file.toPath(), options);
            return true;
        } catch (ClassNotFoundException | UnsupportedOperationException e) {
            return false;
        }
    }
}
