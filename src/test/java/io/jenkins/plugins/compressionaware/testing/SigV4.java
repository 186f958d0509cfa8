package io.jenkins.plugins.compressionaware.testing;

import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signs and verifies requests to a store by their query, as the documentation of Amazon S3 describes version 4 of its signatures. */
public record SigV4(String id, String secret, String region) {
    private static final String SIGNATURE = "X-Amz-Signature";

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

    /**
     * Returns a signed URL.
     *
     * @param url     may have a query
     * @param headers signed headers, in addition to {@code host}
     */
    public String sign(String method, URI url, Map<String, String> headers, Instant at, long seconds) {
        TreeMap<String, String> query = parse(url.getRawQuery());
        TreeMap<String, String> all = new TreeMap<>();
        headers.forEach((name, value) -> all.put(name.toLowerCase(Locale.ROOT), value));
        all.put("host", url.getRawAuthority());
        query.put("X-Amz-Algorithm", "AWS4-HMAC-SHA256");
        query.put("X-Amz-Credential", id + '/' + TIME.format(at).substring(0, 8) + '/' + region + "/s3/aws4_request");
        query.put("X-Amz-Date", TIME.format(at));
        query.put("X-Amz-Expires", String.valueOf(seconds));
        query.put("X-Amz-SignedHeaders", String.join(";", all.keySet()));
        String path = url.getScheme() + "://" + url.getRawAuthority() + url.getRawPath();
        return path + '?' + format(query) + '&' + SIGNATURE + '=' + signature(method, url.getRawPath(), query, all);
    }

    /** Returns whether the query of a request signs it, at any time. */
    public boolean verifies(String method, String path, Map<String, String> query, Map<String, String> headers) {
        TreeMap<String, String> signed = new TreeMap<>(query);
        String found = signed.remove(SIGNATURE);
        TreeMap<String, String> covered = new TreeMap<>();
        for (String name : signed.getOrDefault("X-Amz-SignedHeaders", "").split(";")) {
            covered.put(name, headers.getOrDefault(name, ""));
        }
        return found != null
                && covered.containsKey("host")
                && headers.keySet().stream().allMatch(name -> !name.startsWith("x-amz-") || covered.containsKey(name))
                && signature(method, path, signed, covered).equals(found);
    }

    /** Returns until when a request is valid. */
    public static Instant end(Map<String, String> query) {
        return start(query).plusSeconds(Long.parseLong(query.get("X-Amz-Expires")));
    }

    public static Instant start(Map<String, String> query) {
        return Instant.from(TIME.parse(query.get("X-Amz-Date")));
    }

    private String signature(
            String method, String path, TreeMap<String, String> query, TreeMap<String, String> headers) {
        String canonical = method + '\n' + path + '\n' + format(query) + '\n'
                + headers.entrySet().stream()
                        .map(header -> header.getKey() + ':' + header.getValue().trim() + '\n')
                        .collect(Collectors.joining())
                + '\n' + String.join(";", headers.keySet()) + "\nUNSIGNED-PAYLOAD";
        String time = query.get("X-Amz-Date");
        String scope = query.get("X-Amz-Credential").substring(id.length() + 1);
        try {
            String hash = HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(utf8(canonical)));
            byte[] key = utf8("AWS4" + secret);
            for (String part : scope.split("/")) {
                key = hmac(key, part);
            }
            return HexFormat.of().formatHex(hmac(key, "AWS4-HMAC-SHA256\n" + time + '\n' + scope + '\n' + hash));
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] hmac(byte[] key, String text) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        return mac.doFinal(utf8(text));
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    public static TreeMap<String, String> parse(String query) {
        TreeMap<String, String> parsed = new TreeMap<>();
        for (String part : query == null ? new String[0] : query.split("&")) {
            String[] name = part.split("=", 2);
            parsed.put(decode(name[0]), name.length < 2 ? "" : decode(name[1]));
        }
        return parsed;
    }

    private static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    private static String format(Map<String, String> query) {
        return query.entrySet().stream()
                .map(part -> encode(part.getKey()) + '=' + encode(part.getValue()))
                .collect(Collectors.joining("&"));
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("%7E", "~");
    }
}
