package io.jenkins.plugins.compressionaware.staging;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.IntPredicate;

/** A disk on which chosen renames fail, as on Windows while somebody reads the file. Nobody really waits. */
class BrokenDisk extends Disk {
    final List<Long> pauses = new ArrayList<>();
    int renames;
    boolean links = true;
    private final BiPredicate<Path, Path> broken;

    BrokenDisk(BiPredicate<Path, Path> broken) {
        this.broken = broken;
    }

    /** @param broken whether the rename of this number, from 1, fails */
    static BrokenDisk at(IntPredicate broken) {
        int[] number = {0};
        return new BrokenDisk((from, to) -> broken.test(++number[0]));
    }

    @Override
    void rename(Path from, Path to) throws IOException {
        renames++;
        if (broken.test(from, to)) {
            throw new AccessDeniedException(from.toString(), to.toString(), null);
        }
        super.rename(from, to);
    }

    @Override
    boolean link(Path existing, Path second) {
        return links && super.link(existing, second);
    }

    @Override
    void pause(long millis) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        pauses.add(millis);
    }
}
