package io.jenkins.plugins.compressionaware.ui;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.cloudbees.jenkins.plugins.awscredentials.AWSCredentialsImpl;
import com.cloudbees.plugins.credentials.CredentialsScope;
import com.cloudbees.plugins.credentials.SystemCredentialsProvider;
import hudson.model.Slave;
import io.jenkins.plugins.compressionaware.CompressionAwareArtifactManagerFactory;
import io.jenkins.plugins.compressionaware.testing.jenkins.Browser;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import io.jenkins.plugins.darktheme.DarkThemeManagerFactory;
import io.jenkins.plugins.thememanager.ThemeManagerPageDecorator;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import jenkins.model.ArtifactManagerConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.jvnet.hudson.test.JenkinsRule;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** The pages in a real browser, under an enforced Content Security Policy. */
@ExtendWith(Browser.Languages.class)
class BrowserTest extends JenkinsTestBase {
    private static final String FORM =
            ".repeated-chunk[descriptorid='" + CompressionAwareArtifactManagerFactory.class.getName() + "']";
    /** All but the checkbox of the store, to which core binds no label. */
    private static final String FIELDS = FORM + " :is(input, select, textarea)[name^='_.']:not([name='_.store'])";

    private static final Set<String> STORE_FIELDS = Set.of(
            "_.bucket",
            "_.prefix",
            "_.region",
            "_.credentialsId",
            "_.endpoint",
            "_.storageClass",
            "_.pathStyle",
            "_.md5");

    private static final String SAVE = "button[name='Submit']";

    @Test
    void browserReportsPolicyViolations() throws Exception {
        HttpResponse<Void> response = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(r.getURL().toURI().resolve("manage/configure"))
                                .build(),
                        HttpResponse.BodyHandlers.discarding());
        assertTrue(
                response.headers().firstValue("Content-Security-Policy").isPresent(),
                response.headers().toString());
        try (Browser browser = new Browser("en")) {
            browser.open(r.getURL() + "manage/configure");
            browser.assertNoComplaints();
            browser.script("const script = document.createElement('script'); script.textContent = 'document.title = 1';"
                    + "document.body.append(script)");
            String complaint = "";
            try {
                browser.assertNoComplaints();
            } catch (AssertionError e) {
                complaint = e.getMessage();
            }
            assertTrue(complaint.contains("Content Security Policy"), "an inline script was allowed: " + complaint);
        }
    }

    @Test
    void settingsCanBeChangedByKeyboard() throws Exception {
        configure();
        try (Browser browser = new Browser("en")) {
            openSettings(browser, r);
            Map<String, String> typed = changeAll(browser, visible(browser, FIELDS));
            assertTrue(typed.keySet().containsAll(List.of("_.codec", "_.level")), typed.toString());
            save(browser);

            openSettings(browser, r);
            assertEquals(typed, values(visible(browser, FIELDS)));
            browser.assertNoComplaints();
        }
    }

    @Test
    void storeCanBeChosenByKeyboard() throws Exception {
        configure();
        SystemCredentialsProvider.getInstance()
                .getCredentials()
                .add(new AWSCredentialsImpl(CredentialsScope.GLOBAL, "s3", "key", "secret", ""));
        try (Browser browser = new Browser("en")) {
            openSettings(browser, r);
            List<WebElement> others = visible(browser, FIELDS);
            browser.tabTo(browser.one(FORM + " input[name='_.store']"));
            browser.press(Keys.SPACE);
            awaitCredentials(browser);
            openAdvanced(browser);
            Map<String, String> typed = changeAll(
                    browser,
                    visible(browser, FIELDS).stream()
                            .filter(field -> !others.contains(field))
                            .toList());
            assertEquals(STORE_FIELDS, typed.keySet());
            browser.tabTo(browser.withText(FORM + " button", "Test"));
            browser.press(Keys.ENTER);
            browser.withText(FORM + " .error", "cannot connect to the store");
            save(browser);

            openSettings(browser, r);
            awaitCredentials(browser);
            Map<String, String> seen = values(visible(browser, FIELDS));
            seen.keySet().retainAll(STORE_FIELDS);
            assertEquals(typed, seen);
            browser.assertNoComplaints();
        }
    }

    @Test
    void invalidValueShowsMessage() throws Exception {
        configure().setCodec("gzip");
        try (Browser browser = new Browser("en")) {
            openSettings(browser, r);
            WebElement level = browser.one(FORM + " input[name='_.level']");
            browser.tabTo(level);
            browser.press("15", Keys.TAB);
            browser.withText(FORM + " .error", "from 1 to 9");

            browser.tabTo(level);
            browser.press(Keys.chord(Keys.CONTROL, "a"), "7", Keys.TAB);
            browser.await(
                    "no message",
                    () -> visible(browser, FORM + " .error").isEmpty() ? Optional.of(true) : Optional.empty());
            browser.assertNoComplaints();
        }
    }

    @Test
    void managerIsAddedByOneKeyPress() throws Exception {
        try (Browser browser = new Browser("en")) {
            browser.open(r.getURL() + "manage/");
            WebElement offer = browser.withText(".jenkins-alert", "is installed but not active");
            browser.screenshot(offer, "offer");
            browser.tabTo(browser.withText(".jenkins-alert button", "Add it"));
            browser.press(Keys.ENTER);
            // the page after the redirect
            browser.one("#artifact-transfers");
            browser.assertNoComplaints();
        }
        assertEquals(
                1,
                ArtifactManagerConfiguration.get().getArtifactManagerFactories().size());
    }

    @Test
    void speedTestShowsResults() throws Exception {
        Slave agent = InboundTransport.TCP.start(agents, r);
        String page = r.getURL() + agent.toComputer().getUrl() + "artifact-transfer/";
        try (Browser browser = new Browser("en")) {
            browser.open(page);
            browser.tabTo(browser.withText("button", "Start"));
            browser.press(Keys.ENTER);
            // the rows appear without reloading the page
            browser.withText("#artifact-transfer-status", "Finished.");
            assertEquals(
                    8,
                    browser.all("#artifact-transfer-result tbody td[role='rowheader']")
                            .size());
            assertEquals(
                    4,
                    browser.all("#artifact-transfer-result thead th[scope='col']")
                            .size());
            WebElement table = browser.one("#artifact-transfer-result table");
            assertTrue(table.getAccessibleName().contains("round trip"), table.getAccessibleName());
            assertReadable(browser, "light");
            browser.resize(1200, 1400);
            browser.screenshot(browser.one("#main-panel"), "try-agent-light");
            browser.assertNoComplaints();
        }
        ThemeManagerPageDecorator.get().setTheme(new DarkThemeManagerFactory());
        try (Browser browser = new Browser("en")) {
            browser.open(page);
            browser.withText("#artifact-transfer-status", "Finished.");
            assertReadable(browser, "dark");
            browser.resize(1200, 1400);
            browser.screenshot(browser.one("#main-panel"), "try-agent-dark");
        }
        try (Browser browser = new Browser("de")) {
            browser.open(page);
            browser.withText("button", "Starten");
            browser.withText("#artifact-transfer-status", "Fertig.");
            assertTrue(browser.one("#artifact-transfer-result").getText().contains("Gesendet"));
        }
    }

    @Test
    void settingsWorkInBothThemesAndGerman() throws Exception {
        configure();
        try (Browser browser = new Browser("en")) {
            openSettings(browser, r);
            ThemeManagerPageDecorator.get().setTheme(new DarkThemeManagerFactory());
            openSettings(browser, r);
        }
        try (Browser browser = new Browser("de")) {
            openSettings(browser, r);
            browser.withText(FORM, "Stufe");
            browser.withText(FORM + " option", "für jeden Block");
            browser.tabTo(browser.one(FORM + " .jenkins-help-button"));
            browser.press(Keys.ENTER);
            browser.withText(FORM + " .help", "Objektspeicher");
        }
    }

    private static CompressionAwareArtifactManagerFactory configure() {
        CompressionAwareArtifactManagerFactory factory = new CompressionAwareArtifactManagerFactory();
        ArtifactManagerConfiguration.get().getArtifactManagerFactories().add(factory);
        return factory;
    }

    /** Opens the settings, including "Advanced". */
    private static void openSettings(Browser browser, JenkinsRule r) throws Exception {
        browser.open(r.getURL() + "manage/configure");
        browser.await(
                "the fields",
                () -> browser.all(FIELDS).stream()
                        .filter(field -> field.getTagName().equals("select")
                                && !field.findElements(By.tagName("option")).isEmpty())
                        .findFirst());
        openAdvanced(browser);
        browser.await(
                "the advanced fields",
                () -> visible(browser, FORM + " input[name='_.lockOverrides']").stream()
                        .findFirst());
    }

    /** Opens each visible "Advanced" that is closed. */
    private static void openAdvanced(Browser browser) {
        for (WebElement advanced : visible(browser, FORM + " .advanced-button:not([data-expanded='true'])")) {
            browser.tabTo(advanced);
            browser.press(Keys.ENTER);
        }
    }

    private static void awaitCredentials(Browser browser) {
        browser.await(
                "the credentials",
                () -> visible(browser, FORM + " select[name='_.credentialsId']").stream()
                        .filter(field ->
                                field.findElements(By.tagName("option")).size() > 1)
                        .findFirst());
    }

    private static void save(Browser browser) {
        browser.tabTo(browser.one(SAVE));
        browser.press(Keys.ENTER);
        browser.awaitGone(SAVE);
    }

    /** Leaves out the fields of the store, which are hidden until it is chosen. */
    private static List<WebElement> visible(Browser browser, String css) {
        return browser.all(css).stream().filter(WebElement::isDisplayed).toList();
    }

    /** Changes fields, and returns their values by name. */
    private static Map<String, String> changeAll(Browser browser, List<WebElement> fields) {
        Map<String, String> typed = new LinkedHashMap<>();
        for (WebElement field : fields) {
            String name = field.getDomAttribute("name");
            assertFalse(field.getAccessibleName().isBlank(), name + " has no label that a screen reader finds");
            browser.tabTo(field);
            typed.put(name, change(browser, field));
        }
        return typed;
    }

    private static Map<String, String> values(List<WebElement> fields) {
        Map<String, String> values = new LinkedHashMap<>();
        for (WebElement field : fields) {
            values.put(field.getDomAttribute("name"), value(field));
        }
        return values;
    }

    /** Changes the focused field to another value that is valid together with the other fields, and returns the value. */
    private static String change(Browser browser, WebElement field) {
        String name = field.getDomAttribute("name");
        if (field.getTagName().equals("select")) {
            browser.press(Keys.ARROW_DOWN);
        } else if ("checkbox".equals(field.getDomAttribute("type"))) {
            browser.press(Keys.SPACE);
        } else if (field.getDomAttribute("max") != null) {
            int least = Integer.parseInt(field.getDomAttribute("min"));
            browser.press(
                    Keys.chord(Keys.CONTROL, "a"), Integer.toString(name.startsWith("_.min") ? least : least + 1));
        } else {
            browser.press(name.equals("_.endpoint") ? "http://127.0.0.1:9" : "linux", Keys.TAB);
        }
        return value(field);
    }

    private static String value(WebElement field) {
        return "checkbox".equals(field.getDomAttribute("type"))
                ? Boolean.toString(field.isSelected())
                : field.getDomProperty("value");
    }

    /** Checks the contrast that WCAG 2 AA requires for small text. */
    private static void assertReadable(Browser browser, String theme) {
        Number contrast = (Number) browser.script("""
                const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
                const luminance = color => {
                    canvas.fillStyle = color;
                    canvas.fillRect(0, 0, 1, 1);
                    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map(c => c / 255)
                        .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
                    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
                };
                const behind = luminance(getComputedStyle(document.documentElement).getPropertyValue('--background'));
                return Math.min(...[...document.querySelectorAll(
                        '#artifact-transfer-result :is(caption, th, td, p), #artifact-transfer-status')]
                    .map(element => luminance(getComputedStyle(element).color))
                    .map(text => (Math.max(text, behind) + 0.05) / (Math.min(text, behind) + 0.05)));
                """);
        assertTrue(contrast.doubleValue() >= 4.5, theme + ": " + contrast);
    }
}
