# Functions for scripts that start a Jenkins with the plugin. The script sets mvn before it calls them.

# builds the plugin, unless nothing has changed since, and sets version and war, those of Jenkins
build_plugin() {
    local repository facts=target/jenkins-facts.txt
    if [ ! -e $facts ] || [ ! -e target/compression-aware-artifacts.hpi ] || [ -n "$(find pom.xml src/main -newer $facts -print -quit)" ]; then
        echo "Building the plugin. The first time, Maven downloads Jenkins and the plugins it is tested with, some hundreds of megabytes ..."
        mkdir -p target
        rm -f $facts
        touch $facts.new
        "$mvn" -B -q -ntp -Dmaven.test.skip -Dspotbugs.skip -Dspotless.check.skip package
        repository=$(evaluate settings.localRepository)
        version=$(evaluate jenkins.version)
        printf '%s\n' "$repository" "$version" > $facts.content
        # as old as the start of the build
        touch -r $facts.new $facts.content
        rm $facts.new
        mv $facts.content $facts
    fi
    { read -r repository && read -r version; } < $facts
    war=$repository/org/jenkins-ci/main/jenkins-war/$version/jenkins-war-$version.war
}

# prints a property of the build; on a failure, Maven's reason goes to the screen
evaluate() {
    local value
    value=$("$mvn" -B -q help:evaluate -Dexpression="$1" -DforceStdout) || { echo "$value" >&2; exit 1; }
    echo "$value"
}

# copies the plugin and all it needs into a folder
install_plugins() {
    cp target/test-classes/test-dependencies/*.[hj]pi target/compression-aware-artifacts.hpi "$1"
}
