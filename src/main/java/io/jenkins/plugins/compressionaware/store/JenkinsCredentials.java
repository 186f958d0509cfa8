package io.jenkins.plugins.compressionaware.store;

import com.cloudbees.jenkins.plugins.awscredentials.AWSCredentialsHelper;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.TimeUnit;
import jenkins.model.Jenkins;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.core.exception.SdkClientException;

/** Credentials of Jenkins, which an administrator may change. Keeps them for a minute, because those of a role cost a request. Thread-safe. */
final class JenkinsCredentials implements AwsCredentialsProvider {
    private static final long KEPT = TimeUnit.MINUTES.toNanos(1);

    private final String id;

    @GuardedBy("this")
    private AwsCredentials known;

    @GuardedBy("this")
    private long since;

    JenkinsCredentials(String id) {
        this.id = id;
    }

    @Override
    public synchronized AwsCredentials resolveCredentials() {
        if (known == null || System.nanoTime() - since > KEPT) {
            AwsCredentialsProvider found = AWSCredentialsHelper.getCredentials(id, Jenkins.get());
            known = found == null ? null : found.resolveCredentials();
            since = System.nanoTime();
            if (known == null) {
                throw SdkClientException.create("There are no AWS credentials with the ID " + id);
            }
        }
        return known;
    }
}
