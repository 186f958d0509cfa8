// Jenkins runs this at start-up. It configures the plugin, one agent and three jobs, and builds the jobs. Jenkins itself archives one of them.
// Results are written next to the Jenkins home, for the script run-jenkins.
import hudson.FilePath
import hudson.model.FreeStyleProject
import hudson.slaves.DumbSlave
import hudson.slaves.JNLPLauncher
import hudson.tasks.ArtifactArchiver
import io.jenkins.plugins.compressionaware.CompressionAwareArtifactManagerFactory
import jenkins.model.ArtifactManagerConfiguration
import jenkins.model.Jenkins
import jenkins.model.JenkinsLocationConfiguration
import org.jenkinsci.plugins.workflow.cps.CpsFlowDefinition
import org.jenkinsci.plugins.workflow.job.WorkflowJob

def jenkins = Jenkins.get()
def folder = new File(System.getProperty('sample.folder'))
def url = System.getProperty('sample.url')

JenkinsLocationConfiguration.get().url = url
jenkins.numExecutors = 0
def factory = new CompressionAwareArtifactManagerFactory()
factory.excludedJobs = 'sample-jenkins-itself'
ArtifactManagerConfiguration.get().artifactManagerFactories.replace(factory)

def agent = new DumbSlave('agent-1', new File(folder, 'agent').path, new JNLPLauncher(true))
agent.numExecutors = 2
jenkins.addNode(agent)
new File(folder, 'agent.jar').bytes = jenkins.getJnlpJars('agent.jar').readFully()
new File(folder, 'secret').text = jenkins.getComputer('agent-1').jnlpMac

Thread.start('sample builds') {
    def report = { line -> new File(folder, 'report').append(line + '\n') }
    try {
        for (int i = 0; i < 240 && !jenkins.getComputer('agent-1').online; i++) {
            sleep 500
        }
        def freestyle = jenkins.createProject(FreeStyleProject, 'sample-freestyle')
        freestyle.assignedNode = agent
        freestyle.publishersList.add(new ArtifactArchiver('**'))
        def workspace = agent.getWorkspaceFor(freestyle)
        new FilePath(new File(System.getProperty('sample.files'))).copyRecursiveTo('**', workspace)

        def baseline = jenkins.createProject(FreeStyleProject, 'sample-jenkins-itself')
        baseline.assignedNode = agent
        baseline.customWorkspace = workspace.remote
        baseline.publishersList.add(new ArtifactArchiver('**'))

        def pipeline = jenkins.createProject(WorkflowJob, 'sample-pipeline')
        pipeline.definition = new CpsFlowDefinition("""\
            node('agent-1') {
                ws('${workspace.remote.replace('\\', '/')}') {
                    archiveArtifacts '**'
                }
            }""".stripIndent(), true)

        for (job in [baseline, freestyle, pipeline]) {
            def build = job.scheduleBuild2(0).get()
            def summary = build.getLog(1000).find { it.contains('Artifacts: ') }
            report "${job.name} #${build.number}: ${build.result}. ${summary}"
            report "    ${url}${build.url}"
        }
        report 'DONE'
    } catch (Throwable t) {
        report "FAILED: ${t}"
    }
}
