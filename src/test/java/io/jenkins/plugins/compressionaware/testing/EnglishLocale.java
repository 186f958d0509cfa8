package io.jenkins.plugins.compressionaware.testing;

import java.util.Locale;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Sets the JVM's locale to English before each test, and restores it afterwards. */
public final class EnglishLocale implements BeforeEachCallback, AfterEachCallback {
    private final Locale before = Locale.getDefault();

    @Override
    public void beforeEach(ExtensionContext test) {
        Locale.setDefault(Locale.ENGLISH);
    }

    @Override
    public void afterEach(ExtensionContext test) {
        Locale.setDefault(before);
    }
}
