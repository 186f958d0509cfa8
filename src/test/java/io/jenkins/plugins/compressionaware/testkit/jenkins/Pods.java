package io.jenkins.plugins.compressionaware.testkit.jenkins;

import hudson.Extension;
import hudson.model.Descriptor;
import hudson.model.TaskListener;
import hudson.slaves.AbstractCloudComputer;
import hudson.slaves.AbstractCloudSlave;
import hudson.slaves.ComputerLauncher;
import java.io.IOException;
import org.jvnet.hudson.test.JenkinsRule;

/** An agent of a cloud, in a process of its own on this machine. */
public final class Pods extends AbstractCloudSlave {
    private static final long serialVersionUID = 1;

    private Pods(String name, String folder, ComputerLauncher launcher) throws Descriptor.FormException, IOException {
        super(name, folder, launcher);
    }

    /** Starts one whose template is known by this label. */
    public static Pods start(JenkinsRule r, String label) throws Exception {
        String name = "pod" + r.jenkins.getNodes().size();
        Pods pod = new Pods(name, r.jenkins.getRootDir() + "/" + name, r.createComputerLauncher(null));
        pod.setLabelString(label);
        r.jenkins.addNode(pod);
        r.waitOnline(pod);
        return pod;
    }

    @Override
    public AbstractCloudComputer<Pods> createComputer() {
        return new AbstractCloudComputer<>(this);
    }

    @Override
    protected void _terminate(TaskListener listener) {
        // its process ends with Jenkins
    }

    /** Of nothing that a form shows. */
    @Extension
    public static final class DescriptorImpl extends SlaveDescriptor {
        @Override
        public boolean isInstantiable() {
            return false;
        }
    }
}
