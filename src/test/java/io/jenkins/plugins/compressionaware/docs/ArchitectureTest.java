package io.jenkins.plugins.compressionaware.docs;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.kohsuke.accmod.Restricted;

/** Tests that architecture.md lists all packages in the order of their dependencies. */
class ArchitectureTest {
    private static final String PLUGIN = "io.jenkins.plugins.compressionaware";
    private static final String ROOT = "(root)";

    /** First word of a package's line, or empty for the line below the engine. */
    private static final Pattern PACKAGE_LINE =
            Pattern.compile("(?m)^([\\w/]+(?=/ )|\\(root\\)|(?= +--- nothing above this line))");

    /** Calls that read the time of day. */
    private static final Pattern TIME_OF_DAY = Pattern.compile("^java\\.lang\\.System\\.currentTimeMillis\\("
            + "|^java\\.time\\..*\\.now\\(|^java\\.time\\.Clock\\.system|^java\\.util\\.Date\\.<init>\\(\\)"
            + "|^java\\.util\\.(Gregorian)?Calendar\\.(getInstance|<init>)\\(");

    private static final Pattern FILE_CHANNEL = Pattern.compile(
            "^java\\.(nio\\.channels\\.FileChannel\\.open|nio\\.file\\.Files\\.newByteChannel|io\\.\\w+\\.getChannel)\\(");

    /** Packages that the engine may import besides its own. */
    private static final List<String> LIBRARIES = List.of(
            "java..",
            "javax.crypto..",
            "javax.net..",
            "com.github.luben.zstd..",
            "com.google.errorprone.annotations..",
            "edu.umd.cs.findbugs.annotations..",
            "net.jpountz..",
            "org.kohsuke.accmod..");

    /** In the order of the page: a package imports only packages before it. */
    private static final List<String> PACKAGES = new ArrayList<>();

    private static final List<String> ENGINE = new ArrayList<>();
    private static JavaClasses classes;

    @BeforeAll
    static void read() {
        classes = new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages(PLUGIN);
        PACKAGE_LINE
                .matcher(packages().code())
                .results()
                .map(found -> found.group(1))
                .forEach(name -> {
                    if (name.isEmpty()) {
                        ENGINE.addAll(PACKAGES);
                    } else {
                        PACKAGES.add(name);
                    }
                });
    }

    /** Returns the list of packages, the first sample of the page whose language is text. */
    private static Page.Sample packages() {
        return Page.of("docs/architecture.md").samples().stream()
                .filter(sample -> sample.language().equals("text"))
                .findFirst()
                .orElseThrow();
    }

    private static String packageOf(String name) {
        return name.equals(ROOT) ? PLUGIN : PLUGIN + '.' + name.replace('/', '.');
    }

    private static String[] packagesOf(List<String> names) {
        return names.stream().map(ArchitectureTest::packageOf).toArray(String[]::new);
    }

    private static String nameOf(JavaClass type) {
        String full = type.getPackageName();
        return full.equals(PLUGIN) ? ROOT : full.substring(PLUGIN.length() + 1).replace('.', '/');
    }

    /** An abort could not end the wait of a build's own thread for a disk. Stashes in Jenkins' own format are written as by Jenkins. */
    @Test
    void stepsUseStashesBesideTheBuildsThread() {
        Set<String> onBuildsThread = classes.get(PLUGIN + ".stash.StashOperation").getMethodCallsFromSelf().stream()
                .filter(call ->
                        call.getTargetOwner().getSimpleName().equals("StashFolder") && !call.isDeclaredInLambda())
                .map(JavaMethodCall::getName)
                .collect(Collectors.toSet());
        assertEquals(Set.of("addCoreFile"), onBuildsThread);
    }

    @Test
    void pageListsAllPackages() {
        assertEquals(
                classes.stream()
                        .filter(type -> !type.getSimpleName().equals("package-info"))
                        .map(ArchitectureTest::nameOf)
                        .collect(Collectors.toSet()),
                Set.copyOf(PACKAGES));
        assertTrue(ENGINE.size() > 5 && ENGINE.size() < PACKAGES.size(), ENGINE.toString());
    }

    @Test
    void packagesImportOnlyThoseAbove() {
        assertAll(PACKAGES.stream()
                .limit(PACKAGES.size() - 1)
                .map(name -> () -> noClasses()
                        .that()
                        .resideInAPackage(packageOf(name))
                        .should()
                        .dependOnClassesThat()
                        .resideInAnyPackage(packagesOf(PACKAGES.subList(PACKAGES.indexOf(name) + 1, PACKAGES.size())))
                        .check(classes)));
    }

    @Test
    void sendAndReceiveDoNotImportEachOther() {
        noClasses()
                .that()
                .resideInAPackage(packageOf("engine/receive"))
                .should()
                .dependOnClassesThat()
                .resideInAPackage(packageOf("engine/send"))
                .check(classes);
    }

    @Test
    void classesOfTransferFormNoCircle() {
        slices().assignedFrom(new SliceAssignment() {
                    @Override
                    public SliceIdentifier getIdentifierOf(JavaClass type) {
                        return type.getPackageName().equals(packageOf("transfer"))
                                ? SliceIdentifier.of(type.getName().replaceFirst("\\$.*", ""))
                                : SliceIdentifier.ignore();
                    }

                    @Override
                    public String getDescription() {
                        return "classes of transfer";
                    }
                })
                .should()
                .beFreeOfCycles()
                .check(classes);
    }

    @Test
    void engineImportsNothingOfJenkins() {
        List<String> allowed = new ArrayList<>(List.of(packagesOf(ENGINE)));
        allowed.addAll(LIBRARIES);
        classes()
                .that()
                .resideInAnyPackage(packagesOf(ENGINE))
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(allowed.toArray(String[]::new))
                .check(classes);
    }

    /** An agent is sent every class that a class of {@code agent} references. */
    @Test
    void agentsLoadNoClassesForControllerDisks() {
        noClasses()
                .that()
                .resideInAPackage(packageOf("agent"))
                .should()
                .transitivelyDependOnClassesThat()
                .resideInAnyPackage(packagesOf(List.of("engine/staging", "engine/framefile")))
                .check(classes);
    }

    /** The page names the types that other plugins may use. All others are restricted. */
    @Test
    void publicTypesAreNamedOnThePage() {
        Set<String> forOthers = Pattern.compile("`(\\w+)`")
                .matcher(Page.of("docs/architecture.md")
                        .text()
                        .replaceFirst("(?s).*\n## For other plugins\n(.*?)\n## .*", "$1"))
                .results()
                .map(name -> name.group(1))
                .collect(Collectors.toSet());
        Set<String> open = classes.stream()
                .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
                .filter(type -> type.isTopLevelClass() && !type.getSimpleName().equals("Messages"))
                .filter(type -> !type.isAnnotatedWith(Restricted.class))
                .map(JavaClass::getSimpleName)
                .collect(Collectors.toSet());
        assertEquals(
                forOthers,
                open,
                "Name the type in architecture.md, or annotate it with @Restricted(NoExternalUse.class)");
    }

    /** The allowed classes show dates or judge the age of abandoned files and objects, so a jumping clock harms no transfer. */
    @Test
    void transfersDoNotReadTimeOfDay() {
        assertEquals(
                Set.of(
                        "StagingJournal",
                        "StoreJournal",
                        "OrphanedObjectsCommand",
                        "TransfersManagementLink",
                        "RunningTransfer",
                        "TransferRegistry"),
                classesCalling(TIME_OF_DAY));
    }

    /** An interrupt would close a channel and wait for the disk. {@code FileCreator} uses one on threads that are never interrupted. */
    @Test
    void filesAreReadAsStreams() {
        assertEquals(Set.of("FileCreator"), classesCalling(FILE_CHANNEL));
    }

    private static Set<String> classesCalling(Pattern called) {
        return classes.stream()
                .filter(type -> type.getCodeUnitCallsFromSelf().stream()
                        .map(call -> call.getTarget().getFullName())
                        .anyMatch(name -> called.matcher(name).find()))
                .map(JavaClass::getSimpleName)
                .collect(Collectors.toSet());
    }

    /** The first sentence of each package-info names the machine on which the code runs. */
    @Test
    void packageInfoNamesTheMachine() throws IOException {
        Path sources = Page.root().resolve("src/main/java/" + PLUGIN.replace('.', '/'));
        for (String name : PACKAGES) {
            Path file = sources.resolve(name.equals(ROOT) ? "" : name).resolve("package-info.java");
            Matcher sentence = Pattern.compile("(?s)/\\*\\*(.*?\\.)\\s").matcher(Files.readString(file));
            assertTrue(sentence.find(), file + " has no sentence");
            assertTrue(
                    sentence.group(1).matches("(?s).*\\b(agent|controller|both ends|either end)\\b.*"),
                    () -> file + " does not name the machine on which its code runs: " + sentence.group(1));
        }
    }
}
