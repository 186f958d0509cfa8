package io.jenkins.plugins.compressionaware.testing.jenkins;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import hudson.Functions;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.logging.Level;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.jvnet.localizer.LocaleProvider;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.JavascriptExecutor;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogType;

/** A headless Chromium. Tests are skipped where it is not installed. */
public final class Browser implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final ChromeDriver driver;

    /** @param language preferred by the user, such as {@code en} */
    public Browser(String language) {
        Optional<File> chromium = onPath("chromium", "chromium-browser", "google-chrome");
        Optional<File> chromedriver = onPath("chromedriver");
        assumeTrue(
                chromium.isPresent() && chromedriver.isPresent(),
                "NOT TESTED HERE: the pages in a real browser (saving, keyboard, labels, Content Security Policy, screenshots),"
                        + " because chromium or chromedriver is not on the path");
        ChromeOptions options = new ChromeOptions();
        options.setBinary(chromium.get());
        options.addArguments(
                "--headless=new",
                "--no-sandbox",
                "--disable-dev-shm-usage",
                "--hide-scrollbars",
                "--window-size=1100,1900",
                "--lang=" + language);
        options.setExperimentalOption("prefs", Map.of("intl.accept_languages", language));
        options.setCapability("goog:loggingPrefs", Map.of(LogType.BROWSER, Level.ALL.getName()));
        driver = new ChromeDriver(
                new ChromeDriverService.Builder()
                        .usingDriverExecutable(chromedriver.get())
                        .build(),
                options);
    }

    private static Optional<File> onPath(String... names) {
        return Arrays.stream(names)
                .flatMap(name -> Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                        .map(folder -> new File(folder, name)))
                .filter(File::canExecute)
                .findFirst();
    }

    /** Sets the size of the window in pixels. */
    public void resize(int width, int height) {
        driver.manage().window().setSize(new Dimension(width, height));
    }

    public void open(String url) {
        driver.get(url);
    }

    public List<WebElement> all(String css) {
        return driver.findElements(By.cssSelector(css));
    }

    /** Waits for the element. */
    public WebElement one(String css) {
        return await(css, () -> all(css).stream().findFirst());
    }

    /** Waits until the element is visible and contains this text. */
    public WebElement withText(String css, String text) {
        return await(
                css + " with '" + text + "'",
                () -> all(css).stream()
                        .filter(WebElement::isDisplayed)
                        .filter(element -> element.getText().contains(text))
                        .findFirst());
    }

    public void awaitGone(String css) {
        await("no " + css, () -> all(css).isEmpty() ? Optional.of(true) : Optional.empty());
    }

    public <T> T await(String what, Supplier<Optional<T>> condition) {
        long end = System.nanoTime() + TIMEOUT.toNanos();
        while (true) {
            try {
                Optional<T> result = condition.get();
                if (result.isPresent()) {
                    return result.get();
                }
            } catch (StaleElementReferenceException e) {
                // the page has just changed: retry
            }
            if (System.nanoTime() > end) {
                throw new AssertionError("Timed out waiting for " + what + " on " + driver.getCurrentUrl() + ":\n"
                        + driver.findElement(By.tagName("body")).getText() + "\n" + complaints());
            }
            sleep();
        }
    }

    private static void sleep() {
        try {
            Thread.sleep(100);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    public void press(CharSequence... keys) {
        new Actions(driver).sendKeys(String.join("", keys)).perform();
    }

    /** Clicks the center of an element. */
    public void click(WebElement element) {
        new Actions(driver).moveToElement(element).click().perform();
    }

    /** Presses Tab until the element has the focus. */
    public void tabTo(WebElement element) {
        for (int i = 0; i < 500; i++) {
            if (element.equals(focused())) {
                return;
            }
            press(Keys.TAB);
        }
        throw new AssertionError("The Tab key does not lead to " + element.getDomProperty("outerHTML"));
    }

    public WebElement focused() {
        return driver.switchTo().activeElement();
    }

    public Object script(String script, Object... arguments) {
        return ((JavascriptExecutor) driver).executeScript(script, arguments);
    }

    /** Asserts that the Content Security Policy has blocked nothing, and that no script has failed. */
    public void assertNoComplaints() {
        assertEquals(List.of(), complaints());
    }

    private List<String> complaints() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .filter(entry -> entry.getLevel().intValue() >= Level.SEVERE.intValue()
                        || entry.getMessage().contains("Content Security Policy"))
                .map(entry -> entry.getMessage())
                .filter(message -> !message.contains("/favicon.ico")) // the test server has no icon at its root
                .toList();
    }

    /** Writes {@code NAME.png} to the folder of the system property {@code screenshots}, or below {@code target}. */
    public void screenshot(WebElement element, String name) throws Exception {
        // only as high as the content, because the main panel of a page fills the window
        script("arguments[0].style.minHeight = '0'; arguments[0].style.alignSelf = 'start'", element);
        script("arguments[0].scrollIntoView({block: 'center'})", element);
        write(name, element.getScreenshotAs(OutputType.BYTES));
    }

    /** Writes a screenshot of the visible page. */
    public void screenshot(String name) throws Exception {
        write(name, driver.getScreenshotAs(OutputType.BYTES));
    }

    private static void write(String name, byte[] png) throws Exception {
        Path folder = Files.createDirectories(Path.of(System.getProperty("screenshots", "target/screenshots")));
        Files.write(folder.resolve(name + ".png"), png);
    }

    @Override
    public void close() {
        driver.quit();
    }

    /** Shows pages in the user's language, as in a Jenkins that is not started by a test. */
    public static final class Languages implements BeforeEachCallback, AfterEachCallback {
        private final LocaleProvider before = LocaleProvider.getProvider();

        @Override
        public void beforeEach(ExtensionContext context) {
            LocaleProvider.setProvider(new LocaleProvider() {
                @Override
                public Locale get() {
                    return Functions.getCurrentLocale();
                }
            });
        }

        @Override
        public void afterEach(ExtensionContext context) {
            LocaleProvider.setProvider(before);
        }
    }
}
