package io.jenkins.plugins.compressionaware;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.config.EnumSetting;
import io.jenkins.plugins.compressionaware.config.GlobalSettings;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import jenkins.model.ArtifactManagerConfiguration;
import jenkins.model.Jenkins;
import org.htmlunit.FailingHttpStatusCodeException;
import org.htmlunit.HttpMethod;
import org.htmlunit.WebRequest;
import org.htmlunit.html.HtmlForm;
import org.htmlunit.html.HtmlInput;
import org.htmlunit.html.HtmlOption;
import org.htmlunit.html.HtmlPage;
import org.junit.jupiter.api.Test;
import org.jvnet.hudson.test.JenkinsRule.WebClient;
import org.jvnet.hudson.test.LogRecorder;
import org.jvnet.hudson.test.MockAuthorizationStrategy;

/** Tests the form of the global settings on the System page. */
class ConfigurationFormTest extends JenkinsTestBase {
    private static final String NAME = CompressionAwareArtifactManagerFactory.class.getName();

    @Test
    void savingFormKeepsEmptyFields() throws Exception {
        usePlugin();

        r.configRoundtrip();

        assertEquals(xml(new CompressionAwareArtifactManagerFactory()), xml(configured()));
    }

    @Test
    void emptyNumbersShowDefaultsAsPlaceholders() throws Exception {
        usePlugin();
        try (WebClient client = r.createWebClient()) {
            HtmlForm form = client.goTo("configure").getFormByName("config");
            for (var shown : Map.of(
                            "level", "gzip 6, zstd 3",
                            "minLevel", "" + TransferSettings.MIN_LEVEL.defaultValue(),
                            "maxLevel", "" + TransferSettings.MAX_LEVEL.defaultValue())
                    .entrySet()) {
                HtmlInput input = form.getInputByName("_." + shown.getKey());
                assertEquals("", input.getValue(), shown.getKey());
                assertEquals(shown.getValue(), input.getPlaceholder(), shown.getKey());
            }
            assertEquals(
                    List.of("auto", "off"),
                    form.getSelectByName("_.reuse").getOptions().stream()
                            .map(HtmlOption::getValueAttribute)
                            .toList(),
                    "the global setting has no empty option");
        }
    }

    @Test
    void inputIsValidated() throws Exception {
        assertFine("level", "10", "codec=zstd");
        assertFine("level", "", "codec=zstd");
        assertRefused("level", "10", "codec=gzip", "whole number from 1 to 9");
        assertRefused("level", "fast", "codec=zstd", "whole number from 1 to 19");
        assertRefused("level", "20", "codec=", "whole number from 1 to 19");
        assertRefused("level", "5", "codec=none", "none has no levels");
        assertRefused("level", "5", "codec=auto", "auto has no levels");
        assertFine("minLevel", "3", "maxLevel=4");
        assertRefused("minLevel", "5", "maxLevel=4", "lowest level (minLevel), 5, is above the highest (maxLevel), 4");
        assertRefused("maxLevel", "4", "minLevel=5", "lowest level (minLevel), 5, is above the highest (maxLevel), 4");
        assertRefused("maxLevel", "20", "minLevel=", "whole number from 0 to 19");
        assertRefused("excludedLabels", "a &&", null, "Invalid boolean expression");
        assertRefused("excludedJobs", "/legacy/**", null, "without a slash at the start");
        assertFine("excludedJobs", "legacy/**", null);
    }

    private void assertFine(String field, String typed, String other) throws Exception {
        String answer = check(field, typed, other);
        assertFalse(answer.contains("class="), field + ": " + answer);
    }

    private void assertRefused(String field, String typed, String other, String message) throws Exception {
        String answer = check(field, typed, other);
        assertTrue(answer.contains(message), field + ": " + answer);
    }

    @Test
    void onlyAdministratorsGetLabelSuggestions() throws Exception {
        r.jenkins.setLabelString("secret-site");
        assertTrue(check("excludedLabels", "secret-sit", null).contains("secret-site"));

        r.jenkins.setSecurityRealm(r.createDummySecurityRealm());
        r.jenkins.setAuthorizationStrategy(
                new MockAuthorizationStrategy().grant(Jenkins.READ).everywhere().toEveryone());
        assertFalse(check("excludedLabels", "secret-sit", null).contains("secret-site"));
    }

    @Test
    void validationRejectsGetRequests() throws Exception {
        try (WebClient client = r.createWebClient()) {
            client.assertFails("descriptorByName/" + NAME + "/checkMaxLevel?value=1", 404);
            client.assertFails("descriptorByName/" + NAME + "/checkCodec?value=zstd", 404);
        }
    }

    private String check(String field, String value, String other) throws Exception {
        try (WebClient client = r.createWebClient()) {
            String method = "check" + Character.toUpperCase(field.charAt(0)) + field.substring(1);
            var request =
                    new WebRequest(client.createCrumbedUrl("descriptorByName/" + NAME + "/" + method), HttpMethod.POST);
            request.setRequestBody(
                    "value=" + URLEncoder.encode(value, StandardCharsets.UTF_8) + (other == null ? "" : "&" + other));
            request.setAdditionalHeader("Content-Type", "application/x-www-form-urlencoded");
            return client.getPage(request).getWebResponse().getContentAsString();
        }
    }

    @Test
    void valuesOfNewerVersionAreKeptButIgnored() throws Exception {
        LogRecorder log =
                new LogRecorder().record(EnumSetting.class, Level.WARNING).capture(10);
        CompressionAwareArtifactManagerFactory saved =
                (CompressionAwareArtifactManagerFactory) Jenkins.XSTREAM2.fromXML(
                        "<" + NAME + "><codec>brotli</codec><directLane>quic</directLane></" + NAME + ">");
        ArtifactManagerConfiguration.get().getArtifactManagerFactories().add(saved);

        assertEquals(2, log.getMessages().size(), log.getMessages().toString());
        assertTrue(log.getMessages().get(0).contains("brotli"));
        assertEquals(ConfigurationTest.DEFAULTS, saved.settings());
        assertTrue(Jenkins.XSTREAM2.toXML(configured()).contains("<codec>brotli</codec>"));

        r.configRoundtrip();

        assertEquals("auto", configured().getCodec());
        assertEquals(ConfigurationTest.DEFAULTS, configured().settings());
    }

    @Test
    void savingInvalidValueShowsReadableError() throws Exception {
        usePlugin();
        try (WebClient client = r.createWebClient()) {
            HtmlPage page = client.goTo("configure");
            HtmlForm form = page.getFormByName("config");
            form.getInputByName("_.level").setValue("99");
            var refused = assertThrows(FailingHttpStatusCodeException.class, () -> r.submit(form));
            String answer = refused.getResponse().getContentAsString();
            assertTrue(answer.contains("Enter a whole number from 1 to 19"), answer);
            assertFalse(answer.contains("LinkageError"), answer);
        }
        assertNull(configured().getLevel());
    }

    /** Replaces white space, because a form submits other line ends. */
    private static String xml(CompressionAwareArtifactManagerFactory settings) {
        return Jenkins.XSTREAM2.toXML(settings).replaceAll("(&#xd;|\\s)+", " ");
    }

    private static CompressionAwareArtifactManagerFactory configured() {
        return (CompressionAwareArtifactManagerFactory) GlobalSettings.get();
    }
}
