package io.jenkins.plugins.compressionaware.docs;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
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

/** The rooms of the plugin are those that architecture.md lists, and each uses only those above it in that list. */
class ArchitectureTest {
    private static final String PLUGIN = "io.jenkins.plugins.compressionaware";
    private static final String ROOT = "(root)";

    /** First words of a room's line, and the line below the engine. */
    private static final Pattern ROOM =
            Pattern.compile("(?m)^(\\w+(?=/ )|\\(root\\)|(?= +--- nothing above this line))");

    /** What asks for it. */
    private static final Pattern TIME_OF_DAY = Pattern.compile("^java\\.lang\\.System\\.currentTimeMillis\\("
            + "|^java\\.time\\..*\\.now\\(|^java\\.time\\.Clock\\.system|^java\\.util\\.Date\\.<init>\\(\\)"
            + "|^java\\.util\\.(Gregorian)?Calendar\\.(getInstance|<init>)\\(");

    private static final Pattern FILE_CHANNEL = Pattern.compile(
            "^java\\.(nio\\.channels\\.FileChannel\\.open|nio\\.file\\.Files\\.newByteChannel|io\\.\\w+\\.getChannel)\\(");

    /** What the engine uses beside the JDK. */
    private static final List<String> LIBRARIES = List.of(
            "java..",
            "javax.crypto..",
            "javax.net..",
            "com.github.luben.zstd..",
            "edu.umd.cs.findbugs.annotations..",
            "net.jpountz..",
            "org.apache.commons.compress..",
            "org.kohsuke.accmod..");

    /** In the order of the page, from the lowest to the highest. */
    private static final List<String> ROOMS = new ArrayList<>();

    private static final List<String> ENGINE = new ArrayList<>();
    private static JavaClasses classes;

    @BeforeAll
    static void read() {
        classes = new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages(PLUGIN);
        ROOM.matcher(packages().code()).results().map(found -> found.group(1)).forEach(room -> {
            if (room.isEmpty()) {
                ENGINE.addAll(ROOMS);
            } else {
                ROOMS.add(room);
            }
        });
    }

    /** The list of packages; the picture before it has another language. */
    private static Page.Sample packages() {
        return Page.of("docs/architecture.md").samples().stream()
                .filter(sample -> sample.language().equals("text"))
                .findFirst()
                .orElseThrow();
    }

    private static String packageOf(String room) {
        return room.equals(ROOT) ? PLUGIN : PLUGIN + '.' + room;
    }

    private static String[] packagesOf(List<String> rooms) {
        return rooms.stream().map(ArchitectureTest::packageOf).toArray(String[]::new);
    }

    private static String roomOf(JavaClass type) {
        String name = type.getPackageName();
        return name.equals(PLUGIN) ? ROOT : name.substring(PLUGIN.length() + 1);
    }

    @Test
    void thePageListsAllRooms() {
        assertEquals(classes.stream().map(ArchitectureTest::roomOf).collect(Collectors.toSet()), Set.copyOf(ROOMS));
        assertTrue(ENGINE.size() > 5 && ENGINE.size() < ROOMS.size(), ENGINE.toString());
    }

    @Test
    void importsNeverRunUpwards() {
        assertAll(ROOMS.stream()
                .limit(ROOMS.size() - 1)
                .map(room -> () -> noClasses()
                        .that()
                        .resideInAPackage(packageOf(room))
                        .should()
                        .dependOnClassesThat()
                        .resideInAnyPackage(packagesOf(ROOMS.subList(ROOMS.indexOf(room) + 1, ROOMS.size())))
                        .check(classes)));
    }

    @Test
    void theEndsDoNotKnowEachOther() {
        noClasses()
                .that()
                .resideInAPackage(packageOf("receive"))
                .should()
                .dependOnClassesThat()
                .resideInAPackage(packageOf("send"))
                .check(classes);
    }

    @Test
    void theEngineKnowsNothingOfJenkins() {
        List<String> known = new ArrayList<>(List.of(packagesOf(ENGINE)));
        known.addAll(LIBRARIES);
        classes()
                .that()
                .resideInAnyPackage(packagesOf(ENGINE))
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(known.toArray(String[]::new))
                .check(classes);
    }

    /** An agent is sent all classes that those of {@code remote} refer to. */
    @Test
    void agentsGetNoClassesForTheDisksOfTheController() {
        noClasses()
                .that()
                .resideInAPackage(packageOf("remote"))
                .should()
                .transitivelyDependOnClassesThat()
                .resideInAnyPackage(packagesOf(List.of("staging", "stored")))
                .check(classes);
    }

    /** Whatever other plugins may use is named on the page, and their builds refuse all else. */
    @Test
    void nothingIsPublicByAccident() {
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
        assertEquals(forOthers, open, "name it in architecture.md, or annotate it: @Restricted(NoExternalUse.class)");
    }

    /**
     * A clock that jumps ends no transfer, since none asks for the time of day: only what is shown with a date, and what tells the age of files that a crash
     * has left.
     */
    @Test
    void noTransferDependsOnTheTimeOfDay() {
        assertEquals(Set.of("Notes", "TransfersManagementLink", "RunningTransfer", "Transfers"), namesOf(TIME_OF_DAY));
    }

    /** An interrupt would close a channel, and wait for the disk; nothing interrupts the threads for which {@code FileCreator} opens one. */
    @Test
    void filesAreStreams() {
        assertEquals(Set.of("FileCreator"), namesOf(FILE_CHANNEL));
    }

    private static Set<String> namesOf(Pattern called) {
        return classes.stream()
                .filter(type -> type.getCodeUnitCallsFromSelf().stream()
                        .map(call -> call.getTarget().getFullName())
                        .anyMatch(name -> called.matcher(name).find()))
                .map(JavaClass::getSimpleName)
                .collect(Collectors.toSet());
    }

    /** Both halves of a transfer run on either machine, so each room says so in its first sentence. */
    @Test
    void eachRoomSaysWhereItsCodeRuns() throws IOException {
        Path sources = Page.root().resolve("src/main/java/" + PLUGIN.replace('.', '/'));
        for (String room : ROOMS) {
            Path file = sources.resolve(room.equals(ROOT) ? "" : room).resolve("package-info.java");
            Matcher sentence = Pattern.compile("(?s)/\\*\\*(.*?\\.)\\s").matcher(Files.readString(file));
            assertTrue(sentence.find(), file + " has no sentence");
            assertTrue(
                    sentence.group(1).matches("(?s).*\\b(agent|controller|both ends|either end)\\b.*"),
                    () -> file + " does not say on which machine its code runs: " + sentence.group(1));
        }
    }
}
