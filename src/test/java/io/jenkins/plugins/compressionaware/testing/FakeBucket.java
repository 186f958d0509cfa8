package io.jenkins.plugins.compressionaware.testing;

import io.jenkins.plugins.compressionaware.engine.store.PartChecksum;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The objects and unfinished uploads of a {@link FakeStore}, in memory, and the requests of a controller, whose signatures are not verified. */
class FakeBucket {
    private final Map<String, byte[]> objects = new ConcurrentHashMap<>();
    private final Map<String, TreeMap<Integer, byte[]>> uploads = new ConcurrentHashMap<>();
    private final Map<String, String> uploadPaths = new ConcurrentHashMap<>();
    private final Set<String> locked = ConcurrentHashMap.newKeySet();
    private final AtomicInteger created = new AtomicInteger();

    /** @param result status of the response with its code */
    record Answer(String result, String xml, String headers) {}

    public String createUpload() {
        String id = "upload" + created.incrementAndGet();
        uploads.put(id, new TreeMap<>());
        return id;
    }

    /** Returns the number of unfinished uploads. */
    public int uploads() {
        return uploads.size();
    }

    /** Completes an upload, and returns the tag of the object. */
    public String complete(String path, String upload, List<String> tags) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        TreeMap<Integer, byte[]> parts = uploads.remove(upload);
        if (parts.isEmpty()
                || !parts.values().stream().map(FakeBucket::tag).toList().equals(tags)
                || parts.firstKey() != 1) {
            throw new IOException("InvalidPart: " + parts.keySet() + " " + tags);
        }
        parts.values().forEach(all::writeBytes);
        return put(path, all.toByteArray());
    }

    public byte[] object(String path) {
        return objects.get(path);
    }

    /** Stores or replaces an object, and returns its tag. */
    public String put(String path, byte[] bytes) {
        objects.put(path, bytes);
        return tag(bytes);
    }

    /** Makes the store refuse to delete an object. */
    public void lock(String path) {
        locked.add(path);
    }

    public void delete(String path) {
        objects.remove(path);
    }

    public static String tag(byte[] bytes) {
        return '"' + PartChecksum.MD5.of(bytes, bytes.length).replaceAll("[^A-Za-z0-9]", "0") + '"';
    }

    /** Keeps a part or a whole object. Returns false if there is no such upload. */
    boolean keep(FakeStore.Request request, byte[] body) {
        TreeMap<Integer, byte[]> upload = uploads.get(request.query().getOrDefault("uploadId", ""));
        if (upload == null && request.part() > 0) {
            return false;
        }
        if (upload == null) {
            put(request.path(), body);
        } else {
            synchronized (upload) {
                upload.put(request.part(), body);
            }
        }
        return true;
    }

    /** Serves a request of the controller. */
    Answer control(FakeStore.Request request, byte[] body) throws IOException {
        String text = new String(body, StandardCharsets.UTF_8);
        String bucket = request.path().replaceFirst("^(/[^/]*).*", "$1/");
        String upload = request.query().get("uploadId");
        String prefix = bucket + request.query().getOrDefault("prefix", "");
        boolean ofUploads = request.query().containsKey("uploads");
        switch (request.method()) {
            case "POST":
                if (ofUploads) {
                    String id = createUpload();
                    uploadPaths.put(id, request.path());
                    return xml("InitiateMultipartUploadResult", element("UploadId", id));
                }
                if (request.query().containsKey("delete")) {
                    // as stores without newer checksums
                    if (!PartChecksum.MD5
                            .of(body, body.length)
                            .equals(request.headers().get("content-md5"))) {
                        return new Answer("400 InvalidRequest", "", "");
                    }
                    List<String> keys = find("<Key>(.*?)</Key>", text);
                    keys.stream()
                            .filter(key -> !locked.contains(bucket + key))
                            .forEach(key -> objects.remove(bucket + key));
                    return xml(
                            "DeleteResult",
                            keys.stream()
                                    .filter(key -> locked.contains(bucket + key))
                                    .map(key -> element("Error", element("Key", key) + element("Code", "AccessDenied")))
                                    .collect(Collectors.joining()));
                }
                if (!uploads.containsKey(upload)) {
                    return new Answer("404 NoSuchUpload", "", "");
                }
                List<String> tags = find("<ETag>(.*?)</ETag>", text.replace("&quot;", "\""));
                String tag = complete(request.path(), upload, tags).replace("\"", "&quot;");
                return xml("CompleteMultipartUploadResult", element("ETag", tag));
            case "DELETE":
                uploads.remove(upload);
                return new Answer("204", "", "");
            case "HEAD":
                byte[] object = object(request.path());
                // without a body, whose length FakeStore sends
                return object == null
                        ? new Answer("404", "", "")
                        : new Answer(
                                "200", "", "ETag: " + tag(object) + "\r\nContent-Length: " + object.length + "\r\n");
            default:
                return ofUploads
                        ? xml(
                                "ListMultipartUploadsResult",
                                uploadPaths.entrySet().stream()
                                        .filter(each -> uploads.containsKey(each.getKey())
                                                && each.getValue().startsWith(prefix))
                                        .map(each -> element(
                                                "Upload",
                                                element("Key", each.getValue().substring(bucket.length()))
                                                        + element("UploadId", each.getKey())))
                                        .collect(Collectors.joining()))
                        : xml(
                                "ListBucketResult",
                                objects.keySet().stream()
                                        .filter(path -> path.startsWith(prefix))
                                        .map(path ->
                                                element("Contents", element("Key", path.substring(bucket.length()))))
                                        .collect(Collectors.joining()));
        }
    }

    private static Answer xml(String name, String content) {
        return new Answer("200", element(name, content), "Content-Type: application/xml\r\n");
    }

    private static String element(String name, String content) {
        return '<' + name + '>' + content + "</" + name + '>';
    }

    private static List<String> find(String pattern, String text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(found -> found.group(1))
                .toList();
    }
}
