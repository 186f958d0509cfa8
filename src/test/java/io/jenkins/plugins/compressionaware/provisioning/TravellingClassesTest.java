package io.jenkins.plugins.compressionaware.provisioning;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarInputStream;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Classes sent to agents refer to no class that an agent would have to request, because that would load a whole jar, or a class of another version. */
class TravellingClassesTest {
    private static final String PLUGIN = "io.jenkins.plugins.compressionaware.";

    /** Packages that every agent has or gets in another way. */
    private static final List<String> AVAILABLE = List.of(
            "java.",
            "javax.crypto.",
            "javax.net.",
            "hudson.",
            "org.apache.tools.ant.",
            "jenkins.",
            "org.jenkinsci.remoting.",
            // a JVM ignores annotations that it cannot find
            "com.google.errorprone.annotations.",
            "edu.umd.cs.findbugs.annotations.",
            "org.kohsuke.accmod.",
            // these are in the codec jars
            "com.github.luben.zstd.",
            "net.jpountz.");

    /** Packages of the engine and of the calls on agents, below the plugin's package. */
    private static final String FOR_AGENTS = "(agent|engine\\.\\w+)\\..*";

    private static JavaClasses classes;

    @BeforeAll
    static void read() {
        classes = new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages(PLUGIN.substring(0, PLUGIN.length() - 1));
    }

    private static Set<String> names(AgentJar... jars) throws IOException {
        Set<String> names = new HashSet<>();
        for (AgentJar jar : jars) {
            try (JarInputStream in = new JarInputStream(jar.url().openStream())) {
                for (JarEntry entry = in.getNextJarEntry(); entry != null; entry = in.getNextJarEntry()) {
                    names.add(entry.getName().replace(".class", "").replace('/', '.'));
                }
            }
        }
        return names;
    }

    @ParameterizedTest
    @EnumSource(AgentJar.class)
    void sentClassesReferToAvailableClassesOnly(AgentJar jar) throws Exception {
        Set<String> available =
                jar == AgentJar.FETCH || jar == AgentJar.STORE ? names(jar, AgentJar.ENGINE) : names(jar);
        Set<String> lacking = new TreeSet<>();
        for (String name : names(jar)) {
            if (name.startsWith(PLUGIN)) {
                for (var reference : classes.get(name).getDirectDependenciesFromSelf()) {
                    JavaClass target = reference.getTargetClass().getBaseComponentType();
                    boolean isAvailable = target.isPrimitive()
                            || available.contains(target.getName())
                            || AVAILABLE.stream().anyMatch(target.getName()::startsWith);
                    if (!isAvailable) {
                        lacking.add(name + " -> " + target.getName());
                    }
                }
            }
        }
        assertEquals(Set.of(), lacking);
    }

    /** Remoting would send the whole jar of this plugin for a missing class. */
    @Test
    void classesThatRunOnAgentsAreInJars() throws Exception {
        classes()
                .that()
                .areAssignableTo("hudson.remoting.Callable")
                .or()
                .areAssignableTo("hudson.FilePath$FileCallable")
                .should()
                .resideInAPackage(PLUGIN + "agent")
                .check(classes);
        Set<String> onAgents = classes.stream()
                .filter(type -> type.getPackageName().equals(PLUGIN + "agent"))
                .map(JavaClass::getName)
                .filter(name -> !name.endsWith("package-info"))
                .collect(Collectors.toCollection(TreeSet::new));
        onAgents.removeAll(names(AgentJar.values()));
        assertEquals(Set.of(), onAgents);
    }

    /** A class that a sent class refers to is sent, too. */
    @ParameterizedTest
    @EnumSource(AgentJar.class)
    void jarsContainNoClassOfController(AgentJar jar) throws Exception {
        assertEquals(
                List.of(),
                names(jar).stream()
                        .filter(name -> name.startsWith(PLUGIN))
                        .filter(name -> !name.substring(PLUGIN.length()).matches(FOR_AGENTS))
                        .toList());
    }

    /** Most agents have no store. */
    @ParameterizedTest
    @EnumSource(names = "STORE", mode = EnumSource.Mode.EXCLUDE)
    void onlyAgentsWithAStoreGetItsClasses(AgentJar jar) throws Exception {
        assertEquals(
                List.of(),
                names(jar).stream()
                        .filter(name -> name.startsWith(PLUGIN + "engine.store.") || name.contains("Store"))
                        .toList());
    }

    /** Only types of this plugin, remoting and the JDK may be serialized. */
    @Test
    void serializedTypesAreNotFromLibraries() {
        noFields()
                .that()
                .areDeclaredInClassesThat()
                .areAssignableTo(Serializable.class)
                .and()
                .areNotStatic()
                .should()
                .haveRawType(resideInAnyPackage("com.github.luben..", "net.jpountz..", "org.apache.."))
                .check(classes);
    }

    /** Small archives and stashes of a fresh agent wait for these jars. */
    @ParameterizedTest
    @CsvSource({"BOOTSTRAP, 15000", "SMALL_UNSTASH, 75000"})
    void bootstrapJarsAreSmall(AgentJar jar, int most) throws Exception {
        try (InputStream in = jar.url().openStream()) {
            int length = in.readAllBytes().length;
            assertTrue(length < most, length + " bytes");
        }
    }
}
