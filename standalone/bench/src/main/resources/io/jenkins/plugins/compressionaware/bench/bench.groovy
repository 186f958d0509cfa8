// Run by Jenkins at start-up: does what the benchmark asks for over a socket, a line of JSON for a line of JSON. All measuring that does not
// have to be in here is done by the benchmark itself.
import groovy.json.JsonOutput
import groovy.json.JsonSlurper
import hudson.FilePath
import hudson.model.FreeStyleBuild
import hudson.model.FreeStyleProject
import hudson.model.StreamBuildListener
import hudson.init.InitMilestone
import hudson.remoting.Channel
import hudson.remoting.Command
import hudson.slaves.DumbSlave
import hudson.slaves.JNLPLauncher
import hudson.util.PluginServletFilter
import io.jenkins.plugins.compressionaware.CompressionAwareArtifactManagerFactory
import jakarta.servlet.Filter
import jakarta.servlet.FilterChain
import jakarta.servlet.ServletRequest
import jakarta.servlet.ServletResponse
import java.nio.charset.StandardCharsets
import java.util.concurrent.atomic.AtomicLong
import jenkins.model.ArtifactManagerConfiguration
import jenkins.model.Jenkins
import jenkins.model.JenkinsLocationConfiguration
import jenkins.model.StandardArtifactManager

/** Counts what arrives over a channel. */
class Arrived extends Channel.Listener {
    final AtomicLong bytes = new AtomicLong()

    @Override
    void onRead(Channel channel, Command command, long blockSize) {
        bytes.addAndGet(blockSize)
    }
}

/** Counts the bodies that arrive over HTTP. */
class Posted implements Filter {
    final AtomicLong bytes = new AtomicLong()

    @Override
    void doFilter(ServletRequest request, ServletResponse response, FilterChain chain) {
        if (request.method == 'POST') {
            bytes.addAndGet(Math.max(0, request.contentLengthLong))
        }
        chain.doFilter(request, response)
    }
}

/** Times empty calls to an agent, one every 20 ms, until it is told to stop. */
class EmptyCalls extends Thread {
    final Channel channel
    final List<Long> nanos = []
    volatile boolean stopped

    EmptyCalls(Channel channel) {
        this.channel = channel
    }

    @Override
    void run() {
        while (!stopped) {
            long start = System.nanoTime()
            channel.syncIO()
            nanos << System.nanoTime() - start
            sleep 20
        }
    }

    List<Long> end() {
        stopped = true
        join()
        nanos
    }
}

class Bench {
    final Jenkins jenkins = Jenkins.get()
    final CompressionAwareArtifactManagerFactory factory = new CompressionAwareArtifactManagerFactory()
    final Posted posted = new Posted()
    FreeStyleProject job

    void prepare() {
        jenkins.numExecutors = 0
        jenkins.slaveAgentPort = 0
        PluginServletFilter.addFilter(posted)
        ArtifactManagerConfiguration.get().artifactManagerFactories.replace(factory)
        job = jenkins.createProject(FreeStyleProject, 'bench')
    }

    private Channel channel(String agent) {
        jenkins.getComputer(agent).channel
    }

    /** Adds an agent, which may then connect. */
    Map agent(Map request) {
        jenkins.addNode(new DumbSlave(request.name, request.folder, new JNLPLauncher(request.webSocket)))
        [secret: jenkins.getComputer(request.name).jnlpMac, tcpPort: jenkins.tcpSlaveAgentListener.port]
    }

    Map agentJar(Map request) {
        new File(request.file).bytes = jenkins.getJnlpJars('agent.jar').readFully()
        [:]
    }

    Map rootUrl(Map request) {
        JenkinsLocationConfiguration.get().url = request.url
        [:]
    }

    Map waitForAgent(Map request) {
        def computer = jenkins.getComputer(request.name)
        for (int i = 0; i < 600 && !computer.online; i++) {
            sleep 100
        }
        if (!computer.online) {
            throw new IOException("Agent ${request.name} does not connect")
        }
        [:]
    }

    Map waitForGoodbye(Map request) {
        def computer = jenkins.getComputer(request.name)
        for (int i = 0; i < 600 && computer.channel != null; i++) {
            sleep 100
        }
        [:]
    }

    /** Archives a folder of the agent as a step of a build would. */
    Map archive(Map request) {
        def channel = channel(request.agent)
        def workspace = new FilePath(channel, request.folder)
        def files = request.names.collectEntries { [it, it] }
        def log = new ByteArrayOutputStream()
        def listener = new StreamBuildListener(log, StandardCharsets.UTF_8)
        def build = new FreeStyleBuild(job)
        def manager = managerFor(build, request.way)
        def arrived = new Arrived()
        def calls = request.calls ? new EmptyCalls(channel) : null
        def launcher = workspace.createLauncher(listener)
        channel.addListener(arrived)
        posted.bytes.set(0)
        calls?.start()
        long start = System.nanoTime()
        manager.archive(workspace, launcher, listener, files)
        long nanos = System.nanoTime() - start
        def times = calls?.end()
        channel.removeListener(arrived)
        [nanos: nanos, wireBytes: arrived.bytes.get() + posted.bytes.get(), archive: build.artifactsDir.path, calls: times, log: log.toString('UTF-8')]
    }

    private managerFor(FreeStyleBuild build, String way) {
        if (way.startsWith('core')) {
            StandardArtifactManager.TAR_COMPRESSION =
                    way == 'core' ? FilePath.TarCompression.GZIP : FilePath.TarCompression.NONE
            return new StandardArtifactManager(build)
        }
        boolean direct = way.endsWith('-direct')
        factory.codec = direct ? way - '-direct' : way
        factory.directLane = direct ? 'automatic' : 'off'
        factory.managerFor(build)
    }

    Map idleCalls(Map request) {
        def calls = new EmptyCalls(channel(request.agent))
        calls.start()
        sleep request.millis
        [calls: calls.end()]
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
