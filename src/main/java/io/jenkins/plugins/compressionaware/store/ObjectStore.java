package io.jenkins.plugins.compressionaware.store;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.run.Tasks;
import io.jenkins.plugins.compressionaware.engine.store.ObjectPart;
import io.jenkins.plugins.compressionaware.engine.store.PartChecksum;
import io.jenkins.plugins.compressionaware.engine.store.SignedRequest;
import io.jenkins.plugins.compressionaware.engine.store.StoreAnswers;
import io.jenkins.plugins.compressionaware.engine.store.StoreFailure;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.nio.file.NoSuchFileException;
import java.security.Security;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.awscore.presigner.PresignedRequest;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.LegacyMd5Plugin;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.S3Configuration;
import software.amazon.awssdk.services.s3.model.ChecksumAlgorithm;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.NoSuchBucketException;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.NoSuchUploadException;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.presigner.S3Presigner;

/** A bucket, reached with the AWS SDK. Only this class and its credentials refer to the SDK, because the plugins that provide it are optional. Thread-safe. */
@Restricted(NoExternalUse.class)
public record ObjectStore(StoreLocation location, S3Client client, S3Presigner presigner) implements Closeable {
    private static final Logger LOGGER = Logger.getLogger(ObjectStore.class.getName());

    /** A signature is used soon after it is made: a failed request is signed anew. */
    private static final Duration FOR_PARTS = Duration.ofMinutes(15);

    /** Largest number of keys that a store deletes by one request. */
    private static final int MAX_KEYS = 1000;

    private static final Set<String> IMPLIED = Set.of("host", "content-length");

    /** Opens a bucket, without a request to it. */
    static ObjectStore open(StoreLocation location) throws IOException {
        return open(
                location,
                location.credentialsId().isEmpty()
                        ? DefaultCredentialsProvider.builder().build()
                        : new JenkinsCredentials(location.credentialsId()));
    }

    static ObjectStore open(StoreLocation location, AwsCredentialsProvider credentials) throws IOException {
        try {
            S3Configuration style = S3Configuration.builder()
                    .pathStyleAccessEnabled(location.pathStyle())
                    .build();
            S3ClientBuilder client = S3Client.builder()
                    .credentialsProvider(credentials)
                    .serviceConfiguration(style)
                    // many stores know no other checksums than those in the settings
                    .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                    .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED);
            S3Presigner.Builder presigner =
                    S3Presigner.builder().credentialsProvider(credentials).serviceConfiguration(style);
            if (Security.getAlgorithms("MessageDigest").contains("MD5")) {
                // some stores refuse requests that delete objects without it
                client.addPlugin(LegacyMd5Plugin.create());
            }
            if (!location.region().isEmpty()) {
                client.region(Region.of(location.region()));
                presigner.region(Region.of(location.region()));
            }
            if (!location.endpoint().isEmpty()) {
                client.endpointOverride(URI.create(location.endpoint()));
                presigner.endpointOverride(URI.create(location.endpoint()));
            }
            return new ObjectStore(location, client.build(), presigner.build());
        } catch (SdkException | IllegalArgumentException e) {
            throw failure("Cannot use the store", e);
        }
    }

    /** The exception has no cause, because an agent may get it, which has no SDK. */
    private static IOException failure(String what, RuntimeException e) {
        LOGGER.log(Level.FINE, e, () -> what);
        String advice =
                e instanceof AwsServiceException answer ? ". " + cause(answer).advice() : "";
        return new IOException(what + ": " + e.getMessage() + advice);
    }

    private <T> T send(String what, String key, Supplier<T> request) throws IOException {
        try {
            T answer = request.get();
            StoreAnswers.add(what, null);
            return answer;
        } catch (AbortedException e) {
            throw Tasks.interrupted("Interrupted during a request to the store");
        } catch (SdkException e) {
            StoreAnswers.add(what, cause(e));
            IOException failure = failure("Cannot " + what + ' ' + location.nameOf(key), e);
            throw e instanceof NoSuchBucketException ? new NoSuchFileException(failure.getMessage()) : failure;
        }
    }

    private static StoreFailure cause(SdkException e) {
        if (e instanceof AwsServiceException answer) {
            AwsErrorDetails details = answer.awsErrorDetails();
            String code = details == null ? "" : Objects.toString(details.errorCode(), "");
            return StoreFailure.of(answer.statusCode(), code, String.valueOf(answer.getMessage()), 0);
        }
        return e.getCause() instanceof IOException cause ? StoreFailure.of(cause) : StoreFailure.DENIED;
    }

    /** Begins an upload in parts, and returns its ID. */
    String create(String key, String type) throws IOException {
        return send(
                        "begin",
                        key,
                        () -> client.createMultipartUpload(create -> create.bucket(location.bucket())
                                .key(key)
                                .contentType(type)
                                .storageClass(storageClass())
                                .checksumAlgorithm(sum(PartChecksum.CRC32C, ChecksumAlgorithm.CRC32_C.toString()))))
                .uploadId();
    }

    /** Signs the request that stores a part of an upload. */
    SignedRequest sign(String key, String upload, ObjectPart part) throws IOException {
        return signed(send(
                "sign a part of",
                key,
                () -> presigner.presignUploadPart(presign -> presign.signatureDuration(FOR_PARTS)
                        .uploadPartRequest(put -> put.bucket(location.bucket())
                                .key(key)
                                .uploadId(upload)
                                .partNumber(part.number())
                                .contentLength((long) part.length())
                                .checksumCRC32C(sum(PartChecksum.CRC32C, part.checksum()))
                                .contentMD5(sum(PartChecksum.MD5, part.checksum()))))));
    }

    SignedRequest sign(String key, String type, int length, String checksum) throws IOException {
        return signed(send(
                "sign",
                key,
                () -> presigner.presignPutObject(presign -> presign.signatureDuration(FOR_PARTS)
                        .putObjectRequest(put -> put.bucket(location.bucket())
                                .key(key)
                                .contentType(type)
                                .contentLength((long) length)
                                .storageClass(storageClass())
                                .checksumCRC32C(sum(PartChecksum.CRC32C, checksum))
                                .contentMD5(sum(PartChecksum.MD5, checksum))))));
    }

    /** Returns the storage class; null for the default of the bucket. */
    @CheckForNull
    private String storageClass() {
        return location.storageClass().isEmpty() ? null : location.storageClass();
    }

    /** Returns a checksum if it is of the kind that the store verifies; otherwise null. */
    @CheckForNull
    private String sum(PartChecksum kind, String checksum) {
        return location.checksum() == kind ? checksum : null;
    }

    /** Signs the request that reads an object. The response has the header {@code Content-Disposition} unless the value is null. */
    SignedRequest signGet(String key, Duration valid, @CheckForNull String disposition) throws IOException {
        return signed(send(
                "sign",
                key,
                () -> presigner.presignGetObject(presign -> presign.signatureDuration(valid)
                        .getObjectRequest(get ->
                                get.bucket(location.bucket()).key(key).responseContentDisposition(disposition)))));
    }

    private static SignedRequest signed(PresignedRequest request) {
        List<String> headers = new ArrayList<>();
        for (Map.Entry<String, List<String>> header : request.signedHeaders().entrySet()) {
            if (!IMPLIED.contains(header.getKey().toLowerCase(Locale.ROOT))) {
                headers.add(header.getKey());
                headers.add(String.join(",", header.getValue()));
            }
        }
        return new SignedRequest(request.url().toString(), headers.toArray(String[]::new));
    }

    /** Completes an upload, and returns the tag of the object. The SDK repeats a request whose answer was lost. */
    String complete(String key, String upload, List<ObjectPart> parts, List<String> tags) throws IOException {
        List<CompletedPart> completed = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            completed.add(CompletedPart.builder()
                    .partNumber(parts.get(i).number())
                    .eTag(tags.get(i))
                    .checksumCRC32C(sum(PartChecksum.CRC32C, parts.get(i).checksum()))
                    .build());
        }
        String tag = send("complete", key, () -> {
            try {
                return client.completeMultipartUpload(complete -> complete.bucket(location.bucket())
                                .key(key)
                                .uploadId(upload)
                                .multipartUpload(all -> all.parts(completed)))
                        .eTag();
            } catch (NoSuchUploadException e) {
                return null;
            }
        });
        return tag == null
                ? check(key, parts.stream().mapToLong(ObjectPart::length).sum(), null)
                : tag;
    }

    /** Deletes the parts of all unfinished uploads of an object. */
    void abort(String key) throws IOException {
        send("abort the upload of", key, () -> {
            client.listMultipartUploads(list -> list.bucket(location.bucket()).prefix(key))
                    .uploads()
                    .forEach(upload -> abort(key, upload.uploadId()));
            return null;
        });
    }

    private void abort(String key, String upload) {
        try {
            client.abortMultipartUpload(
                    abort -> abort.bucket(location.bucket()).key(key).uploadId(upload));
        } catch (NoSuchUploadException e) {
            // it has ended meanwhile
        }
    }

    /** Returns the tag of an object, after a check of its length, and of its tag unless that is null. */
    String check(String key, long length, @CheckForNull String tag) throws IOException {
        HeadObjectResponse found = send("read", key, () -> {
            try {
                return client.headObject(head -> head.bucket(location.bucket()).key(key));
            } catch (NoSuchKeyException e) {
                return null;
            }
        });
        if (found == null
                || found.contentLength() != length
                || tag != null && !bare(tag).equals(bare(found.eTag()))) {
            throw new IOException("The agent did not store " + location.nameOf(key) + " as it reported");
        }
        return found.eTag();
    }

    /** Returns a tag without what a proxy may change. */
    private static String bare(String tag) {
        return tag.replaceAll("^W/|\"", "");
    }

    /** Deletes objects, whether they exist or not. Fails if the store refuses to delete one of them. */
    public void delete(List<String> keys) throws IOException {
        for (String refused : tryDelete(keys).values()) {
            throw new IOException("Cannot delete " + refused);
        }
    }

    /** Deletes objects, whether they exist or not. Returns messages by the keys of those that the store refuses to delete. */
    Map<String, String> tryDelete(List<String> keys) throws IOException {
        Map<String, String> refused = new HashMap<>();
        for (int from = 0; from < keys.size(); from += MAX_KEYS) {
            List<ObjectIdentifier> some = keys.subList(from, Math.min(keys.size(), from + MAX_KEYS)).stream()
                    .map(key -> ObjectIdentifier.builder().key(key).build())
                    .toList();
            send(
                            "delete",
                            keys.get(from),
                            () -> client.deleteObjects(delete -> delete.bucket(location.bucket())
                                    .delete(all -> all.objects(some).quiet(true))))
                    .errors()
                    .forEach(error -> refused.put(error.key(), location.nameOf(error.key()) + ": " + error.message()));
        }
        return refused;
    }

    /** Passes the keys of all objects that begin with a prefix, and when each was stored. */
    public void list(String prefix, BiConsumer<String, Instant> keys) throws IOException {
        String token = null;
        do {
            String from = token;
            ListObjectsV2Response page = send(
                    "list",
                    prefix,
                    () -> client.listObjectsV2(list ->
                            list.bucket(location.bucket()).prefix(prefix).continuationToken(from)));
            page.contents().forEach(object -> keys.accept(object.key(), object.lastModified()));
            token = page.nextContinuationToken();
        } while (token != null);
    }

    @Override
    public void close() {
        client.close();
        presigner.close();
    }
}
