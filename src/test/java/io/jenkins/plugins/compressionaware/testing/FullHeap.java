package io.jenkins.plugins.compressionaware.testing;

import com.tngtech.archunit.thirdparty.org.objectweb.asm.ClassReader;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.ClassVisitor;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.ClassWriter;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.Handle;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.Label;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.MethodVisitor;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.Opcodes;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Loads classes of the plugin once more, so that an {@link OutOfMemoryError} can strike at each place where their methods allocate memory: at each new object
 * or array, at each lambda and concatenation, before each call of a method of the JDK that may allocate, and after each call that stores something, because a
 * collection may grow, and a thread pool may start a thread, after it has stored the argument.
 */
public final class FullHeap extends ClassLoader {
    private static final String BASE = "io.jenkins.plugins.compressionaware.";

    /** Methods of the JDK that allocate nothing, or that do not return to the transfer. */
    private static final Pattern FREE = Pattern.compile(String.join(
            "|",
            "java/lang/(Object|Math|System|Runnable|Class|Enum)\\..*",
            "java/lang/Thread\\.(currentThread|interrupt|interrupted|isInterrupted|isAlive|join|setName|setDaemon)",
            "java/lang/(Throwable|.*Exception|.*Error)\\.(getMessage|getCause)",
            "java/lang/(Long|Integer|Boolean|Double)\\..*Value",
            "java/util/.*\\.(get|size|isEmpty|poll|peek|element|clear|containsKey|contains|isDone|isCancelled|cancel|hasNext|next|accept|run|call|test|apply)",
            "java/util/(Map|Queue|Deque|List|ArrayDeque|HashMap)\\.remove",
            "java/util/concurrent/(atomic/.*|TimeUnit)\\..*",
            "java/util/concurrent/.*\\.(get|await|countDown|getAsLong|shutdown|shutdownNow|tryAcquire|release|lock|unlock)",
            "java/util/function/.*",
            ".*\\.<init>"));

    private static final Pattern STORES = Pattern.compile(
            "java/util/.*\\.(put|putIfAbsent|computeIfAbsent|add|addAll|offer|execute|submit|schedule.*)");

    private static final String NOWHERE = "nowhere";

    /** Places that were reached, with the role of the thread and the number of the call there: 1, or 2 for all further calls. */
    private static final Set<String> REACHED = ConcurrentHashMap.newKeySet();

    private static final Map<String, Boolean> CALLED = new ConcurrentHashMap<>();
    private static volatile String target;
    private static volatile boolean struck;

    private final Set<String> strikes;

    /** @param strikes names of the classes in which the error may strike, also in their nested classes */
    private FullHeap(Set<String> strikes) {
        super(FullHeap.class.getClassLoader());
        this.strikes = strikes;
    }

    /**
     * Runs a scenario once for each place at which the error can strike, and returns the complaints.
     *
     * @param scenario has a constructor without parameters; returns a complaint, or null if the transfer ended as it should
     * @param strikes  see above
     */
    public static Set<String> strikeEverywhere(Class<? extends Callable<String>> scenario, Class<?>... strikes)
            throws Exception {
        REACHED.clear();
        FullHeap loader = new FullHeap(Stream.of(strikes).map(Class::getName).collect(Collectors.toSet()));
        Class<?> loaded = loader.loadClass(scenario.getName());
        for (int i = 0; i < 3; i++) { // not every run reaches the same places
            String complaint = run(loaded, NOWHERE);
            if (complaint != null) {
                return Set.of("without an error: " + complaint);
            }
        }
        Set<String> complaints = new TreeSet<>();
        for (String place : new TreeSet<>(REACHED)) {
            String complaint = run(loaded, place);
            if (complaint != null && struck) {
                complaints.add(place + ": " + complaint);
            }
        }
        return complaints;
    }

    private static String run(Class<?> scenario, String place) throws Exception {
        CALLED.clear();
        struck = false;
        target = place;
        FutureTask<String> run = new FutureTask<>(() -> {
            Callable<?> call = (Callable<?>) scenario.getDeclaredConstructor().newInstance();
            return (String) call.call();
        });
        Thread thread = new Thread(run, "scenario");
        thread.setDaemon(true);
        Thread.setDefaultUncaughtExceptionHandler((ended, error) -> {});
        thread.start();
        try {
            return run.get(10, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            StringBuilder stack = new StringBuilder("hangs in ");
            for (StackTraceElement call : thread.getStackTrace()) {
                stack.append(call.getClassName().startsWith(BASE) ? call + " < " : "");
            }
            thread.interrupt();
            return stack.toString();
        } catch (ExecutionException e) {
            throw new AssertionError(place, e.getCause());
        } finally {
            target = null;
            Thread.setDefaultUncaughtExceptionHandler(null);
        }
    }

    /** Called by the loaded classes at each place. */
    public static void at(String place) {
        String wanted = target;
        if (wanted == null) {
            return;
        }
        String role = place + " in " + Thread.currentThread().getName();
        String key = role + (CALLED.putIfAbsent(role, true) == null ? " 1" : " 2");
        if (wanted.equals(NOWHERE)) {
            REACHED.add(key);
        }
        if (key.equals(wanted) && !struck) {
            struck = true;
            throw new OutOfMemoryError("Java heap space");
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(BASE) || name.equals(FullHeap.class.getName())) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? load(name) : loaded;
        }
    }

    private Class<?> load(String name) throws ClassNotFoundException {
        try (InputStream file = getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (file == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] bytes = file.readAllBytes();
            byte[] changed = strikes.contains(name.replaceFirst("\\$.*", "")) ? withPlaces(bytes) : bytes;
            return defineClass(name, changed, 0, changed.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    private static byte[] withPlaces(byte[] bytes) {
        ClassReader reader = new ClassReader(bytes);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        String simple = reader.getClassName().substring(reader.getClassName().lastIndexOf('/') + 1);
        reader.accept(
                new ClassVisitor(Opcodes.ASM9, writer) {
                    @Override
                    public MethodVisitor visitMethod(
                            int access, String name, String type, String signature, String[] exceptions) {
                        MethodVisitor method = super.visitMethod(access, name, type, signature, exceptions);
                        // a class that failed to initialize could not be used by the next run
                        return name.equals("<clinit>") ? method : new Places(method, simple + "." + name);
                    }
                },
                0);
        return writer.toByteArray();
    }

    private static final class Places extends MethodVisitor {
        private final String method;
        private int line;
        private int count;

        Places(MethodVisitor next, String method) {
            super(Opcodes.ASM9, next);
            this.method = method;
        }

        private void place(String what) {
            visitLdcInsn(method + ":" + line + " #" + ++count + " " + what);
            super.visitMethodInsn(
                    Opcodes.INVOKESTATIC,
                    FullHeap.class.getName().replace('.', '/'),
                    "at",
                    "(Ljava/lang/String;)V",
                    false);
        }

        @Override
        public void visitLineNumber(int number, Label start) {
            line = number;
            super.visitLineNumber(number, start);
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            super.visitTypeInsn(opcode, type);
            if (opcode == Opcodes.NEW || opcode == Opcodes.ANEWARRAY) {
                place("new " + type); // behind the instruction, whose offset is part of the class file
            }
        }

        @Override
        public void visitIntInsn(int opcode, int operand) {
            if (opcode == Opcodes.NEWARRAY) {
                place("new array");
            }
            super.visitIntInsn(opcode, operand);
        }

        @Override
        public void visitInvokeDynamicInsn(String name, String type, Handle bootstrap, Object... arguments) {
            place("lambda or text " + name);
            super.visitInvokeDynamicInsn(name, type, bootstrap, arguments);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String type, boolean isInterface) {
            String call = owner + "." + name;
            boolean own = owner.startsWith(BASE.replace('.', '/'));
            if (!own && !FREE.matcher(call).matches()) {
                place("before " + call);
            }
            super.visitMethodInsn(opcode, owner, name, type, isInterface);
            if (!own && STORES.matcher(call).matches()) {
                place("after " + call);
            }
        }
    }
}
