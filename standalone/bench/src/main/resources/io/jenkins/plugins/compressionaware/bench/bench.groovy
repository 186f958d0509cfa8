// Jenkins runs this at start-up. It serves the benchmark's requests over a socket: each request and each answer is one line of JSON.
// It measures only what the benchmark cannot measure from outside.
import com.cloudbees.jenkins.plugins.sshcredentials.impl.BasicSSHUserPrivateKey
import com.cloudbees.plugins.credentials.CredentialsScope
import com.cloudbees.plugins.credentials.SystemCredentialsProvider
import groovy.json.JsonOutput
import groovy.json.JsonSlurper
import hudson.EnvVars
import hudson.FilePath
import hudson.model.FreeStyleBuild
import hudson.model.FreeStyleProject
import hudson.model.Result
import hudson.model.Run
import hudson.model.StreamBuildListener
import hudson.init.InitMilestone
import hudson.remoting.Channel
import hudson.remoting.Command
import hudson.remoting.Request
import hudson.remoting.Response
import hudson.plugins.sshslaves.SSHLauncher
import hudson.plugins.sshslaves.verifiers.NonVerifyingKeyVerificationStrategy
import hudson.slaves.DumbSlave
import hudson.slaves.JNLPLauncher
import hudson.slaves.RetentionStrategy
import hudson.tasks.ArtifactArchiver
import hudson.tasks.Shell
import hudson.util.PluginServletFilter
import io.jenkins.plugins.compressionaware.CompressionAwareArtifactManagerFactory
import jakarta.servlet.Filter
import jakarta.servlet.FilterChain
import jakarta.servlet.ServletRequest
import jakarta.servlet.ServletResponse
import java.lang.management.ManagementFactory
import java.lang.management.MemoryType
import java.lang.reflect.Field
import java.nio.charset.StandardCharsets
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicLong
import jenkins.model.ArtifactManagerConfiguration
import jenkins.model.Jenkins
import jenkins.model.JenkinsLocationConfiguration
import jenkins.model.StandardArtifactManager
import jenkins.util.VirtualFile
import org.jenkinsci.plugins.workflow.cps.CpsFlowDefinition
import org.jenkinsci.plugins.workflow.flow.StashManager
import org.jenkinsci.plugins.workflow.job.WorkflowJob

/** Counts bytes and calls of a channel. */
class Traffic extends Channel.Listener {
    private static final Field REQUEST_ID = field(Request, 'id')
    private static final Field RESPONSE_ID = field(Response, 'id')
    private static final Field METHOD = field(Class.forName('hudson.remoting.RemoteInvocationHandler$RPCRequest'), 'methodName')

    final AtomicLong arrived = new AtomicLong()
    final AtomicLong sent = new AtomicLong()
    final AtomicLong classBytes = new AtomicLong()
    final AtomicLong jarBytes = new AtomicLong()
    final Queue<String> jars = new ConcurrentLinkedQueue<>()
    final AtomicLong callsFromAgent = new AtomicLong()
    final AtomicLong callsToAgent = new AtomicLong()
    /** Unanswered requests of the agent's class loader. */
    private final Set<Integer> forClasses = ConcurrentHashMap.newKeySet()

    private static Field field(Class type, String name) {
        def field = type.getDeclaredField(name)
        field.accessible = true
        field
    }

    @Override
    void onRead(Channel channel, Command command, long blockSize) {
        arrived.addAndGet(blockSize)
        if (command instanceof Request) {
            callsFromAgent.incrementAndGet()
            // methods of RemoteClassLoader.IClassLoader
            if (METHOD.declaringClass.isInstance(command) && METHOD.get(command) =~ /^(fetch|getResource)/) {
                forClasses << REQUEST_ID.getInt(command)
            }
        }
    }

    @Override
    void onWrite(Channel channel, Command command, long blockSize) {
        sent.addAndGet(blockSize)
        if (command instanceof Request) {
            callsToAgent.incrementAndGet()
        } else if (command instanceof Response && forClasses.remove(RESPONSE_ID.getInt(command))) {
            classBytes.addAndGet(blockSize)
        }
    }

    @Override
    void onJar(Channel channel, File jar) {
        jarBytes.addAndGet(jar.length())
        jars << jar.name
    }
}

/** Counts HTTP requests, bytes of their bodies, and bytes of answers on direct lanes. */
class HttpTraffic implements Filter {
    final AtomicLong requests = new AtomicLong()
    final AtomicLong bytes = new AtomicLong()
    final AtomicLong answerBytes = new AtomicLong()

    @Override
    void doFilter(ServletRequest request, ServletResponse response, FilterChain chain) {
        requests.incrementAndGet()
        if (request.method == 'POST') {
            bytes.addAndGet(Math.max(0, request.contentLengthLong))
        }
        chain.doFilter(request, response)
        if (request.requestURI.contains('/artifact-transfer-lane/')) {
            answerBytes.addAndGet((response.getHeader('Content-Length') ?: 0) as long)
        }
    }

    void reset() {
        requests.set(0)
        bytes.set(0)
        answerBytes.set(0)
    }
}

class Bench {
    final Jenkins jenkins = Jenkins.get()
    final CompressionAwareArtifactManagerFactory factory = new CompressionAwareArtifactManagerFactory()
    final HttpTraffic http = new HttpTraffic()
    final List heap = ManagementFactory.memoryPoolMXBeans.findAll { it.type == MemoryType.HEAP }
    final system = ManagementFactory.operatingSystemMXBean
    final threads = ManagementFactory.threadMXBean
    /** The store, by a name that agents may resolve to the address of a slow link. */
    final String endpoint = System.getenv('STORE_ENDPOINT')?.replace('127.0.0.1', 'localhost')
    final String region = System.getenv('STORE_REGION')
    String bucket = System.getenv('STORE_BUCKET')
    @Lazy Object s3 = { openStore() }()
    /** Most open file descriptors since the last reset. */
    volatile long descriptors
    FreeStyleProject job
    FreeStyleProject shell
    FreeStyleProject source
    WorkflowJob fetching
    final Map<String, FreeStyleBuild> stashed = [:]
    /** Builds of the job 'source', by archived folder. */
    final Map<String, FreeStyleBuild> archived = [:]
    FreeStyleBuild last
    Map urls

    void prepare() {
        jenkins.numExecutors = 0
        Thread.startDaemon {
            while (true) {
                descriptors = Math.max(descriptors, system.openFileDescriptorCount)
                sleep 100
            }
        }
        jenkins.slaveAgentPort = 0
        PluginServletFilter.addFilter(http)
        job = jenkins.createProject(FreeStyleProject, 'bench')
        shell = jenkins.createProject(FreeStyleProject, 'shell')
        shell.buildersList.add(new Shell('echo built > built.txt'))
        source = jenkins.createProject(FreeStyleProject, 'source')
        source.publishersList.add(archiver())
        fetching = jenkins.createProject(WorkflowJob, 'fetching')
    }

    private void resetPeaks() {
        System.gc()
        heap.each { it.resetPeakUsage() }
        threads.resetPeakThreadCount()
        descriptors = 0
    }

    private Map peaks() {
        [controllerHeap: heap.sum { it.peakUsage.used }, controllerThreads: threads.peakThreadCount, controllerDescriptors: descriptors]
    }

    private Channel channel(String agent) {
        jenkins.getComputer(agent).channel
    }

    /** Adds an inbound agent. */
    Map agent(Map request) {
        jenkins.addNode(new DumbSlave(request.name, request.folder, new JNLPLauncher(request.webSocket)))
        [secret: jenkins.getComputer(request.name).jnlpMac, tcpPort: jenkins.tcpSlaveAgentListener.port]
    }

    /** Adds an agent, and starts it over SSH. */
    Map sshAgent(Map request) {
        def source = new BasicSSHUserPrivateKey.DirectEntryPrivateKeySource(request.key)
        def credentials = new BasicSSHUserPrivateKey(
                CredentialsScope.SYSTEM, 'bench', System.getProperty('user.name'), source, null, 'bench')
        SystemCredentialsProvider.instance.credentials.clear()
        SystemCredentialsProvider.instance.credentials << credentials
        def launcher = new SSHLauncher('127.0.0.1', request.port, 'bench', request.jvmOptions, request.java, '', '',
                60, 0, 1, new NonVerifyingKeyVerificationStrategy())
        def node = new DumbSlave(request.name, request.folder, launcher)
        node.retentionStrategy = RetentionStrategy.NOOP
        jenkins.addNode(node)
        jenkins.getComputer(request.name).connect(false).get()
        [:]
    }

    Map agentJar(Map request) {
        new File(request.file).bytes = jenkins.getJnlpJars('agent.jar').readFully()
        [:]
    }

    /** Sets the root URLs for ways with http and with https. */
    Map address(Map request) {
        urls = request
        JenkinsLocationConfiguration.get().url = urls.http
        [:]
    }

    Map waitForAgent(Map request) {
        def computer = jenkins.getComputer(request.name)
        for (int i = 0; i < 600 && !computer.online; i++) {
            sleep 100
        }
        if (!computer.online) {
            throw new IOException("Agent ${request.name} did not connect")
        }
        [:]
    }

    Map waitForDisconnect(Map request) {
        def computer = jenkins.getComputer(request.name)
        for (int i = 0; i < 600 && computer.channel != null; i++) {
            sleep 100
        }
        jenkins.removeNode(jenkins.getNode(request.name))
        [:]
    }

    /** Runs a build with a shell step on an agent. */
    Map shellStep(Map request) {
        shell.assignedNode = jenkins.getNode(request.agent)
        def build = shell.scheduleBuild2(0).get()
        succeeded(build)
        [:]
    }

    private static ArtifactArchiver archiver() {
        def archiver = new ArtifactArchiver('**')
        archiver.defaultExcludes = false
        archiver
    }

    private static succeeded(build) {
        if (build.result != Result.SUCCESS) {
            throw new IOException(build.log)
        }
        build
    }

    /** Archives a folder of an agent for later fetches, unless it is archived already. */
    Map source(Map request) {
        if (!archived[request.folder]) {
            choose('auto-direct')
            source.assignedNode = jenkins.getNode(request.agent)
            source.customWorkspace = request.folder
            archived[request.folder] = succeeded(source.scheduleBuild2(0).get())
        }
        [:]
    }

    /** Runs copyArtifacts in a Pipeline, which measures the duration. */
    private fetch(Map request) {
        fetching.definition = new CpsFlowDefinition("""
            node('${request.agent}') {
                ws('${request.folder}') {
                    long start = System.nanoTime()
                    copyArtifacts projectName: 'source', selector: specific('${archived[request.source].number}')
                    currentBuild.description = System.nanoTime() - start
                }
            }""", false)
        succeeded(fetching.scheduleBuild2(0).get())
    }

    /**
     * Runs one step on an agent: archives or stashes a folder, unstashes the last stash of the same way, fetches, or deletes the build of the
     * last archive.
     */
    Map step(Map request) {
        resetPeaks()
        def channel = channel(request.agent)
        def workspace = new FilePath(channel, request.folder)
        def log = new ByteArrayOutputStream()
        def listener = new StreamBuildListener(log, StandardCharsets.UTF_8)
        def launcher = workspace.createLauncher(listener)
        def environment = new EnvVars()
        def unstash = request.step == 'unstash'
        def build = unstash ? stashed[request.way] : request.step == 'delete' ? last : new FreeStyleBuild(job)
        def fetched
        choose(request.way)
        if (request.step == 'stash') {
            stashed.remove(request.way)?.with { StashManager.clearAll(it, listener) }
            stashed[request.way] = build
        }
        def traffic = new Traffic()
        channel.addListener(traffic)
        http.reset()
        long cpu = system.processCpuTime
        long start = System.nanoTime()
        switch (request.step) {
            case 'archive': archiver().perform(build, workspace, environment, launcher, listener); last = build; break
            case 'delete': ended(build).delete(); break
            case 'stash': StashManager.stash(build, 'bench', workspace, launcher, environment, listener, '**', null, false, false); break
            case 'unstash': StashManager.unstash(build, 'bench', workspace, launcher, environment, listener); break
            case 'fetch': fetched = fetch(request); break
        }
        long nanos = fetched ? fetched.description as long : System.nanoTime() - start
        long used = system.processCpuTime - cpu
        channel.removeListener(traffic)
        if (!request.way.startsWith('core') && log.toString('UTF-8').contains('by Jenkins itself')) {
            throw new IOException(log.toString('UTF-8'))
        }
        if (request.way == 'compress-artifacts' && request.step == 'archive') {
            // where archives are deleted after each run
            build.artifactsDir.mkdirs()
            new File(build.rootDir, 'archive.zip').renameTo(new File(build.artifactsDir, 'archive.zip'))
        }
        def loading = [classBytes: traffic.classBytes.get(), jarBytes: traffic.jarBytes.get(), jars: traffic.jars as List,
                callsFromAgent: traffic.callsFromAgent.get(), callsToAgent: traffic.callsToAgent.get(), bytes: traffic.sent.get(), requests: http.requests.get()]
        if (fetched && request.way.startsWith('core') == fetched.log.contains('Fetch ')) {
            throw new IOException(fetched.log)
        }
        if (fetched) {
            log.write(fetched.log.readLines().findAll { it =~ /^(Fetch|Copied) / }.join('\n').getBytes('UTF-8'))
        }
        peaks() + [wallSeconds: nanos / 1e9, controllerCpu: used / 1e9, loading: loading,
                wireBytes: unstash || fetched ? traffic.sent.get() + http.answerBytes.get() : traffic.arrived.get() + http.bytes.get(),
                archive: build.artifactsDir.path, note: log.toString('UTF-8').trim()]
    }

    /** Sends later steps to a new bucket. The last one is deleted with its objects, if this has created it. */
    Map bucket(Map request) {
        if (bucket != System.getenv('STORE_BUCKET')) {
            s3.deleteBucket { it.bucket(bucket) }
        }
        bucket = request.name
        s3.createBucket { it.bucket(bucket) }
        [:]
    }

    /** Lists the bucket. */
    Map objects(Map request) {
        [objects: s3.listObjectsV2Paginator { it.bucket(bucket) }.contents().collect { [key: it.key(), size: it.size(), tag: it.eTag()] }]
    }

    /** Opens some of the last build's artifacts, and reports the median duration; or zips all of them, to a file if one is named. */
    Map read(Map request) {
        def zipped = new File(last.artifactsDir, 'archive.zip')
        if (zipped.exists()) {
            zipped.renameTo(new File(last.rootDir, 'archive.zip'))
        }
        long cpu = system.processCpuTime
        def durations = request.step == 'zip of all'
                ? [seconds {
                    (request.file ? new FileOutputStream(request.file) : OutputStream.nullOutputStream()).withStream { root().zip(it, '**', null, true, '') }
                }]
                : request.names.collect { name ->
            if (request.step.endsWith('cold')) {
                dropCaches()
            }
            seconds { firstByte(name) }
        }.sort()
        [wallSeconds: durations[durations.size().intdiv(2)], controllerCpu: (system.processCpuTime - cpu) / 1e9,
                note: "longest ${durations.last()} s"]
    }

    void firstByte(String name) {
        def file = root().child(name)
        file.open().withStream {
            if (it.read() < 0 && file.length() > 0) {
                throw new IOException(name)
            }
        }
    }

    VirtualFile root() {
        last.artifactManager.root()
    }

    static double seconds(Closure work) {
        long start = System.nanoTime()
        work()
        (System.nanoTime() - start) / 1e9
    }

    /** Empties the plugin's cache of blocks and, as root, that of the system. */
    void dropCaches() {
        def loaded = type('io.jenkins.plugins.compressionaware.engine.packed.BlockCache')
        def fields = ['OF_THIS_JVM', 'blocks', 'bytes'].collect { loaded.getDeclaredField(it) }
        fields.each { it.accessible = true }
        def cache = fields[0].get(null)
        fields[1].get(cache).clear()
        fields[2].setLong(cache, 0)
        def system = new File('/proc/sys/vm/drop_caches')
        if (system.canWrite()) {
            system.text = '1'
        }
    }

    /**
     * Lets agents work at the same time: each archives the folder in a build of its own, or unstashes the last stash of a way into a folder
     * named after the agent.
     */
    Map together(Map request) {
        resetPeaks()
        choose(request.way)
        def archives = request.step == 'archive'
        def builds = request.agents.collectEntries { [it, archives ? new FreeStyleBuild(job) : stashed[request.way]] }
        def traffic = new Traffic()
        def failures = [].asSynchronized()
        request.agents.each { channel(it).addListener(traffic) }
        http.reset()
        long cpu = system.processCpuTime
        long start = System.nanoTime()
        builds.collect { name, build ->
            Thread.start {
                try {
                    def workspace = new FilePath(channel(name), archives ? request.folder : request.folder + '/' + name)
                    def listener = new StreamBuildListener(new ByteArrayOutputStream(), StandardCharsets.UTF_8)
                    def launcher = workspace.createLauncher(listener)
                    if (archives) {
                        archiver().perform(build, workspace, new EnvVars(), launcher, listener)
                    } else {
                        StashManager.unstash(build, 'bench', workspace, launcher, new EnvVars(), listener)
                    }
                } catch (Throwable e) {
                    failures << e
                }
            }
        }.each { it.join() }
        long nanos = System.nanoTime() - start
        long used = system.processCpuTime - cpu
        request.agents.each { channel(it).removeListener(traffic) }
        if (failures) {
            throw failures[0]
        }
        peaks() + [wallSeconds: nanos / 1e9, controllerCpu: used / 1e9,
                wireBytes: archives ? traffic.arrived.get() + http.bytes.get() : traffic.sent.get() + http.answerBytes.get(),
                archives: archives ? builds.values().collect { it.artifactsDir.path } : [], note: '']
    }

    /**
     * Runs a build that archives a folder, and waits for its chunk index. Reports the controller's CPU time until the end of the build, and
     * separately that of the index.
     */
    Map build(Map request) {
        choose(request.way)
        def name = "history-${request.history}"
        def project = jenkins.getItem(name)
        if (!project) {
            project = jenkins.createProject(FreeStyleProject, name)
            project.publishersList.add(archiver())
        }
        project.assignedNode = jenkins.getNode(request.agent)
        project.customWorkspace = request.folder
        def traffic = new Traffic()
        channel(request.agent).addListener(traffic)
        http.reset()
        long cpu = system.processCpuTime
        def build = succeeded(project.scheduleBuild2(0).get())
        long used = system.processCpuTime - cpu
        channel(request.agent).removeListener(traffic)
        def index = new File(build.rootDir, 'archive.chunks')
        for (int i = 0; i < (request.way.endsWith('-delta') ? 30 : 0) && !index.exists(); i++) {
            sleep 100
        }
        long indexNanos = system.processCpuTime - cpu - used
        sleep 2500 // until the build's transfers are saved
        def note = build.log.readLines().findAll { it =~ /^(Artifacts:|Archiving)/ }.join('\n')
        if (index.length()) {
            note += String.format(Locale.ROOT, " index %d bytes, %.2f s of the controller's CPU time", index.length(), indexNanos / 1e9)
        }
        [wallSeconds: build.duration / 1e3, controllerCpu: used / 1e9, wireBytes: traffic.arrived.get() + http.bytes.get(),
                archive: build.artifactsDir.path, note: note]
    }

    /** Marks a build as completed, because Jenkins does not delete a running build. */
    private FreeStyleBuild ended(FreeStyleBuild build) {
        def state = Run.getDeclaredField('state')
        state.accessible = true
        state.set(build, Enum.valueOf(state.type, 'COMPLETED'))
        build
    }

    /** Configures the way of later steps. */
    private void choose(String way) {
        def location = JenkinsLocationConfiguration.get()
        def url = way.endsWith('-https') ? urls.https : urls.http
        if (location.url != url) {
            location.url = url
        }
        def factories = ArtifactManagerConfiguration.get().artifactManagerFactories
        // a removed manager's last settings still apply to copyArtifacts
        set(['accelerateCopyArtifacts', 'copyArtifacts'], !way.startsWith('core'))
        if (way.startsWith('core')) {
            StandardArtifactManager.TAR_COMPRESSION =
                    way == 'core' ? FilePath.TarCompression.GZIP : FilePath.TarCompression.NONE
            factories.clear()
            return
        }
        if (way in ['compress-artifacts', 's3-plugin']) {
            factories.replaceBy([way == 's3-plugin' ? artifactManagerS3()
                    : type('org.jenkinsci.plugins.compress_artifacts.CompressingArtifactManagerFactory').newInstance()])
            return
        }
        set(['deduplicate', 'sharing'], way.startsWith('disk-') ? way - 'disk-' : 'off')
        set(['storage'], way == 'packed' ? 'packed' : 'files')
        if (factory.hasProperty('store')) {
            factory.store = way == 's3' ? store() : null
        }
        def plain = way in ['packed', 's3'] || way.startsWith('disk-') ? 'auto-direct' : way - '-delta' - '-https'
        if (factory.hasProperty('delta')) {
            factory.delta = way.endsWith('-delta') ? 'auto' : 'off'
        }
        boolean direct = plain.endsWith('-direct')
        factory.codec = direct ? plain - '-direct' : plain
        boolean renamed = factory.hasProperty('deduplicate')
        factory.directLane = !direct ? 'off' : renamed ? 'auto' : 'automatic'
        factories.replaceBy([factory])
    }

    /** Returns the store that scripts/seaweedfs has started. The SDK finds the credentials in the environment. */
    private Object store() {
        def store = type('io.jenkins.plugins.compressionaware.store.S3Store').newInstance(bucket)
        store.region = region
        store.endpoint = endpoint
        store.pathStyle = true
        store
    }

    /** Lets Artifact Manager on S3 use the same store. It takes no credentials from the environment without a server for session tokens. */
    private Object artifactManagerS3() {
        def keys = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'].collect { System.getenv(it) }
        SystemCredentialsProvider.instance.credentials.clear()
        SystemCredentialsProvider.instance.credentials << type('com.cloudbees.jenkins.plugins.awscredentials.AWSCredentialsImpl')
                .newInstance(CredentialsScope.GLOBAL, 'store', keys[0], keys[1], '')
        def account = type('io.jenkins.plugins.aws.global_configuration.CredentialsAwsGlobalConfiguration').get()
        [region: region, credentialsId: 'store'].each { name, value -> account[name] = value }
        def types = ['s3.S3BlobStoreConfig', 's3.S3BlobStore', 'JCloudsArtifactManagerFactory']
                .collect { type('io.jenkins.plugins.artifact_manager_jclouds.' + it) }
        [useHttp: true, usePathStyleUrl: true, disableSessionToken: true, customSigningRegion: region, customEndpoint: endpoint - 'http://',
         container: bucket].each { name, value -> types[0].get()[name] = value }
        types[2].newInstance(types[1].newInstance())
    }

    private Object openStore() {
        def builder = type('software.amazon.awssdk.services.s3.S3Client').getMethod('builder').invoke(null)
        builder.region(type('software.amazon.awssdk.regions.Region').of(region)).endpointOverride(URI.create(endpoint)).forcePathStyle(true).build()
    }

    private Class type(String name) {
        jenkins.pluginManager.uberClassLoader.loadClass(name)
    }

    /** Sets the first of these properties that exists, because older versions of the plugin use other names. */
    private void set(List<String> names, Object value) {
        def name = names.find { factory.hasProperty(it) }
        if (name != null) {
            factory[name] = value
        }
    }
}

Thread.start('bench') {
    while (Jenkins.get().initLevel != InitMilestone.COMPLETED) {
        sleep 100
    }
    def bench = new Bench()
    bench.prepare()
    new Socket(InetAddress.loopbackAddress, Integer.getInteger('bench.port')).withStreams { input, output ->
        def writer = output.newWriter('UTF-8')
        input.eachLine('UTF-8') { line ->
            def answer
            try {
                def request = new JsonSlurper().parseText(line)
                answer = bench."${request.what}"(request)
            } catch (Throwable t) {
                def trace = new StringWriter()
                t.printStackTrace(new PrintWriter(trace))
                answer = [failure: trace.toString()]
            }
            writer << JsonOutput.toJson(answer) << '\n'
            writer.flush()
        }
    }
}
