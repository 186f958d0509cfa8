package io.jenkins.plugins.compressionaware.testing;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Generates the artifacts of consecutive builds from a seed, with typical changes from one build to the next. */
public final class History {
    private static final long SECOND = 1000;

    private final Random random;
    private final Path workspace;
    private final int scale;
    private int build;

    public History(Path workspace, long seed) {
        this(workspace, seed, 1);
    }

    /** @param scale approximate size in megabytes */
    public History(Path workspace, long seed, int scale) {
        this.workspace = workspace;
        this.scale = scale;
        random = new Random(seed);
    }

    /** Returns text that compresses to about a third, and depends only on the seed. */
    public static byte[] text(long seed, int length) {
        Random words = new Random(seed);
        StringBuilder text = new StringBuilder();
        while (text.length() < length) {
            text.append(Long.toString(words.nextLong() >>> 40, 36)).append(" is the word\n");
        }
        return text.substring(0, length).getBytes(StandardCharsets.UTF_8);
    }

    public static byte[] noise(long seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    /** Returns a jar with the given members. */
    public static byte[] jar(long time, boolean stored, byte[]... members) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            for (int i = 0; i < members.length; i++) {
                ZipEntry entry = new ZipEntry("org/example/part" + i + "/Class" + i + ".class");
                entry.setTime(1_700_000_000_000L + time * SECOND);
                if (stored) {
                    CRC32 crc = new CRC32();
                    crc.update(members[i]);
                    entry.setMethod(ZipEntry.STORED);
                    entry.setSize(members[i].length);
                    entry.setCrc(crc.getValue());
                }
                zip.putNextEntry(entry);
                zip.write(members[i]);
            }
        }
        return bytes.toByteArray();
    }

    private static byte[] classes(long time, long seed, int changed, int change) throws IOException {
        byte[][] members = new byte[40][];
        for (int i = 0; i < members.length; i++) {
            members[i] = text(seed * 100 + i + (i == changed ? 7919L * change : 0), 3000 + 200 * i);
        }
        return jar(time, false, members);
    }

    /** Writes a jar of jars, of which one class changes. Unless it is reproducible, all timestamps change as well. */
    public void fatJar(boolean reproducible) throws IOException {
        byte[][] jars = new byte[8 * scale][];
        for (int i = 0; i < jars.length; i++) {
            jars[i] = classes(reproducible ? 0 : build * 2L, i, i == 3 ? 5 : -1, build);
        }
        write("app.jar", jar(reproducible ? 0 : build * 2L, true, jars));
    }

    /** Writes a folder of jars, of which one changes. */
    public void distribution() throws IOException {
        for (int i = 0; i < 8 * scale; i++) {
            write("lib/module" + i + ".jar", classes(0, 5000 + i, i == 2 ? 1 : -1, build));
        }
        write("bin/run.sh", text(1, 700));
    }

    /** Writes pages, of which some change and one is new in each build. */
    public void reports() throws IOException {
        for (int i = 0; i < 60 * scale; i++) {
            write("reports/page" + i + ".html", text(i % 10 == 0 ? 1000L * build + i : i, 2000 + i % 60 * 10));
        }
        write("reports/new" + build + ".html", text(build, 5000));
    }

    /** Writes a binary with inserted bytes. */
    public void binary() throws IOException {
        byte[] code = noise(99, 900_000 * scale);
        byte[] added = noise(build, 200 + build);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(code, 0, 300_000);
        bytes.write(added);
        bytes.write(code, 300_000, code.length - 300_000);
        write("bin/native", bytes.toByteArray());
    }

    /** Writes an archive that has nothing in common with the last build's. */
    public void tarGz() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(("build " + build).getBytes(StandardCharsets.UTF_8));
            gzip.write(noise(build, 400_000 * scale));
        }
        write("dist.tar.gz", bytes.toByteArray());
    }

    /** Edits files at random: deletes, grows, shrinks, swaps, copies and damages them. */
    public void edits() throws IOException {
        if (build == 0) {
            distribution();
            fatJar(true);
            reports();
            return;
        }
        List<Path> files;
        try (var walk = Files.walk(workspace)) {
            files = new ArrayList<>(walk.filter(Files::isRegularFile).sorted().toList());
        }
        for (int i = 0; i < 12; i++) {
            edit(files.get(random.nextInt(files.size())), files.get(random.nextInt(files.size())));
        }
    }

    private void edit(Path one, Path other) throws IOException {
        if (!Files.exists(one) || !Files.exists(other)) {
            return;
        }
        byte[] bytes = Files.readAllBytes(one);
        int at = bytes.length == 0 ? 0 : random.nextInt(bytes.length);
        switch (random.nextInt(7)) {
            case 0 -> Files.delete(one);
            case 1 -> Files.write(one, join(bytes, at, noise(random.nextLong(), random.nextInt(5000)), at));
            case 2 -> Files.write(one, join(bytes, at, new byte[0], Math.min(bytes.length, at + random.nextInt(9000))));
            case 3 -> Files.write(one, join(bytes, at, noise(random.nextLong(), 1), Math.min(bytes.length, at + 1)));
            case 4 -> {
                byte[] swapped = Files.readAllBytes(other);
                Files.write(other, bytes);
                Files.write(one, swapped);
            }
            case 5 -> Files.write(workspace.resolve("copy" + build), bytes);
            default -> Files.write(one, join(bytes, bytes.length, bytes, bytes.length));
        }
    }

    private static byte[] join(byte[] bytes, int until, byte[] between, int from) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.write(bytes, 0, until);
        all.writeBytes(between);
        all.write(bytes, from, bytes.length - from);
        return all.toByteArray();
    }

    private void write(String name, byte[] content) throws IOException {
        Path path = workspace.resolve(name);
        Files.createDirectories(path.getParent());
        Files.write(path, content);
    }

    public void next() {
        build++;
    }
}
