# Functions for scripts that start a Jenkins with the plugin. The script sets mvn before it calls them.

# builds the plugin and sets version and war, those of Jenkins
build_plugin() {
    local repository
    echo "Building the plugin ..."
    "$mvn" -B -q -ntp -DskipTests -Dspotbugs.skip package
    repository=$("$mvn" -B -q help:evaluate -Dexpression=settings.localRepository -DforceStdout)
    version=$("$mvn" -B -q help:evaluate -Dexpression=jenkins.version -DforceStdout)
    war=$repository/org/jenkins-ci/main/jenkins-war/$version/jenkins-war-$version.war
}

# copies the plugin and all it needs into a folder
install_plugins() {
    cp target/test-classes/test-dependencies/*.[hj]pi target/compression-aware-artifacts.hpi "$1"
}
