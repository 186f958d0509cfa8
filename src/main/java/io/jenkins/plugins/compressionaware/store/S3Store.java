package io.jenkins.plugins.compressionaware.store;

import com.cloudbees.jenkins.plugins.awscredentials.AWSCredentialsHelper;
import edu.umd.cs.findbugs.annotations.CheckForNull;
import edu.umd.cs.findbugs.annotations.NonNull;
import hudson.Extension;
import hudson.Util;
import hudson.model.AbstractDescribableImpl;
import hudson.model.Descriptor;
import hudson.util.FormValidation;
import hudson.util.ListBoxModel;
import io.jenkins.plugins.compressionaware.engine.store.PartChecksum;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import jenkins.model.Jenkins;
import org.jenkinsci.Symbol;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.stapler.DataBoundConstructor;
import org.kohsuke.stapler.DataBoundSetter;
import org.kohsuke.stapler.QueryParameter;
import org.kohsuke.stapler.verb.POST;

/** The setting of a bucket in an S3-compatible store, to which agents send artifacts and stashes. Text that is empty has its default. */
@Restricted(NoExternalUse.class)
public final class S3Store extends AbstractDescribableImpl<S3Store> {
    /** As the rules for the names of buckets say. */
    private static final Pattern BUCKET = Pattern.compile("[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]");

    /** As folders choose it, besides these two words. */
    private static final Pattern NAME = Pattern.compile("(?!(system|controller)$)[a-z0-9][a-z0-9._-]*");

    /** Characters that need no encoding in a URL. */
    private static final Pattern PREFIX =
            Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9_.-]*(/[A-Za-z0-9_-][A-Za-z0-9_.-]*)*");

    private static final Pattern WORD = Pattern.compile("[A-Za-z0-9_-]+");

    private static final Pattern ONE_LINE = Pattern.compile("\\P{Cntrl}+");

    private final String bucket;
    private String name;
    private String prefix;
    private String region;
    private String endpoint;
    private boolean pathStyle;
    private String credentialsId;
    private String storageClass;
    private boolean md5;

    @DataBoundConstructor
    public S3Store(@NonNull String bucket) {
        this.bucket = require(BUCKET, bucket, "bucket");
    }

    private static String require(Pattern pattern, @CheckForNull String value, String field) {
        String trimmed = Util.fixEmptyAndTrim(value);
        if (trimmed == null && pattern != BUCKET && pattern != NAME
                || trimmed != null && pattern.matcher(trimmed).matches()) {
            return trimmed;
        }
        throw new IllegalArgumentException(field + ": " + Messages.S3Store_invalid(Util.fixNull(trimmed)));
    }

    /** Returns the name by which folders choose this store; null for the store of the system. */
    @CheckForNull
    public String getName() {
        return name;
    }

    /** @throws IllegalArgumentException if the name is empty, invalid, or one of the words that folders have besides names */
    @DataBoundSetter
    public void setName(@NonNull String name) {
        this.name = require(NAME, name, "name");
    }

    /** Returns the stores. Fails with an {@link IllegalArgumentException} unless each has a name of its own. */
    public static List<S3Store> requireNames(List<S3Store> stores) {
        Set<String> names = new HashSet<>();
        for (S3Store store : stores) {
            if (!names.add(require(NAME, store.name, "name"))) {
                throw new IllegalArgumentException(Messages.S3Store_sameName(store.name));
            }
        }
        return stores;
    }

    @NonNull
    public String getBucket() {
        return bucket;
    }

    @CheckForNull
    public String getPrefix() {
        return prefix;
    }

    @DataBoundSetter
    public void setPrefix(@CheckForNull String prefix) {
        this.prefix = require(PREFIX, prefix, "prefix");
    }

    @CheckForNull
    public String getRegion() {
        return region;
    }

    @DataBoundSetter
    public void setRegion(@CheckForNull String region) {
        this.region = require(WORD, region, "region");
    }

    @CheckForNull
    public String getEndpoint() {
        return endpoint;
    }

    @DataBoundSetter
    public void setEndpoint(@CheckForNull String endpoint) {
        this.endpoint = requireUrl(endpoint);
    }

    private static String requireUrl(@CheckForNull String endpoint) {
        String url = Util.fixEmptyAndTrim(endpoint);
        try {
            if (url == null || new URI(url).getHost() != null && url.matches("https?://.*")) {
                return url;
            }
        } catch (URISyntaxException e) {
            // reported below
        }
        throw new IllegalArgumentException("endpoint: " + Messages.S3Store_invalid(url));
    }

    public boolean isPathStyle() {
        return pathStyle;
    }

    @DataBoundSetter
    public void setPathStyle(boolean pathStyle) {
        this.pathStyle = pathStyle;
    }

    @CheckForNull
    public String getCredentialsId() {
        return credentialsId;
    }

    @DataBoundSetter
    public void setCredentialsId(@CheckForNull String credentialsId) {
        this.credentialsId = require(ONE_LINE, credentialsId, "credentialsId");
    }

    @CheckForNull
    public String getStorageClass() {
        return storageClass;
    }

    @DataBoundSetter
    public void setStorageClass(@CheckForNull String storageClass) {
        this.storageClass = require(WORD, storageClass, "storageClass");
    }

    /** Returns whether parts are verified by MD5 instead of CRC-32C. */
    public boolean isMd5() {
        return md5;
    }

    @DataBoundSetter
    public void setMd5(boolean md5) {
        this.md5 = md5;
    }

    public StoreLocation location() {
        return new StoreLocation(
                bucket,
                Util.fixNull(region),
                Util.fixNull(endpoint),
                pathStyle,
                Util.fixNull(credentialsId),
                Util.fixNull(storageClass),
                md5 ? PartChecksum.MD5 : PartChecksum.CRC32C);
    }

    /** Returns the start of all keys of this controller, so that no other controller lists its objects. */
    public String keyPrefix() {
        String id = Jenkins.get().getLegacyInstanceId().substring(0, 8);
        return (prefix == null ? "" : prefix + '/') + id + '/';
    }

    /** Describes the settings form. Form validation returns results only to administrators. */
    @Extension
    @Symbol("s3")
    public static final class DescriptorImpl extends Descriptor<S3Store> {
        @NonNull
        @Override
        public String getDisplayName() {
            return Messages.S3Store_displayName();
        }

        @POST
        public ListBoxModel doFillCredentialsIdItems(@QueryParameter String credentialsId) {
            ListBoxModel items = new ListBoxModel();
            if (Jenkins.get().hasPermission(Jenkins.ADMINISTER)) {
                try {
                    items = AWSCredentialsHelper.doFillCredentialsIdItems(Jenkins.get());
                } catch (LinkageError e) {
                    // the plugin is not installed
                }
            }
            String current = Util.fixEmpty(credentialsId);
            if (current != null && items.stream().noneMatch(item -> item.value.equals(current))) {
                items.add(current); // saving the form keeps credentials that are missing now
            }
            return items;
        }

        @POST
        public FormValidation doCheckName(@QueryParameter String value) {
            return check(() -> new S3Store("any").setName(value));
        }

        @POST
        public FormValidation doCheckBucket(@QueryParameter String value) {
            return check(() -> new S3Store(value));
        }

        @POST
        public FormValidation doCheckPrefix(@QueryParameter String value) {
            return check(() -> new S3Store("any").setPrefix(value));
        }

        @POST
        public FormValidation doCheckEndpoint(@QueryParameter String value) {
            FormValidation checked = check(() -> new S3Store("any").setEndpoint(value));
            return checked.kind == FormValidation.Kind.OK
                            && Util.fixNull(value).trim().startsWith("http:")
                            && Jenkins.get().hasPermission(Jenkins.ADMINISTER)
                    ? FormValidation.warning(Messages.S3Store_plain())
                    : checked;
        }

        private static FormValidation check(Runnable setting) {
            if (!Jenkins.get().hasPermission(Jenkins.ADMINISTER)) {
                return FormValidation.ok();
            }
            try {
                setting.run();
                return FormValidation.ok();
            } catch (IllegalArgumentException e) {
                return FormValidation.error(e.getMessage());
            }
        }

        /** Writes an object in two parts, reads and deletes it. */
        @POST
        public FormValidation doVerify(
                @QueryParameter String bucket,
                @QueryParameter String prefix,
                @QueryParameter String region,
                @QueryParameter String endpoint,
                @QueryParameter boolean pathStyle,
                @QueryParameter String credentialsId,
                @QueryParameter String storageClass,
                @QueryParameter boolean md5) {
            Jenkins.get().checkPermission(Jenkins.ADMINISTER);
            try {
                S3Store tested = new S3Store(bucket);
                tested.setPrefix(prefix);
                tested.setRegion(region);
                tested.setEndpoint(endpoint);
                tested.setPathStyle(pathStyle);
                tested.setCredentialsId(credentialsId);
                tested.setStorageClass(storageClass);
                tested.setMd5(md5);
                try {
                    StoreProbe.run(tested.location(), tested.keyPrefix());
                } catch (IOException e) {
                    if (!md5 && StoreProbe.mayNeedMd5(e)) {
                        tested.setMd5(true);
                        StoreProbe.run(tested.location(), tested.keyPrefix());
                        return FormValidation.warning(Messages.S3Store_needsMd5(e.getMessage()));
                    }
                    throw e;
                }
                return FormValidation.ok(Messages.S3Store_works(bucket));
            } catch (IOException | IllegalArgumentException e) {
                return FormValidation.error(e.getMessage());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return FormValidation.error(e.toString());
            }
        }
    }
}
