import java.io.*;
import java.util.*;
import org.apache.commons.compress.archivers.tar.*;
import org.apache.commons.compress.compressors.zstandard.ZstdCompressorInputStream;

public class ListFiles {
    public static List<String> list(InputStream stash) throws IOException {
        List<String> files = new ArrayList<>();
        try (TarArchiveInputStream tar = new TarArchiveInputStream(new ZstdCompressorInputStream(stash))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                files.add("%s, %d bytes".formatted(entry.getName(), tar.readAllBytes().length));
            }
        }
        return files;
    }
}
