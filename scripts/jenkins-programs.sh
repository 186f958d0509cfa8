# Functions for scripts that start a Jenkins with the plugin. The script sets mvn before it calls them.

# builds the plugin if it has changed, and sets version and war to Jenkins' version and .war file
build_plugin() {
    local repository properties=target/jenkins-properties.txt
    if [ ! -e $properties ] || [ ! -e target/compression-aware-artifacts.hpi ] || [ -n "$(find pom.xml src/main -newer $properties -print -quit)" ]; then
        echo "Building the plugin. The first build downloads Jenkins and plugins for the tests, some hundreds of megabytes ..."
        mkdir -p target
        rm -f $properties
        touch $properties.new
        "$mvn" -B -q -ntp -Dmaven.test.skip -Dspotbugs.skip -Dspotless.check.skip package
        repository=$(evaluate settings.localRepository)
        version=$(evaluate jenkins.version)
        printf '%s\n' "$repository" "$version" > $properties.content
        # dated at the start of the build, so that later changes are newer
        touch -r $properties.new $properties.content
        rm $properties.new
        mv $properties.content $properties
    fi
    { read -r repository && read -r version; } < $properties
    war=$repository/org/jenkins-ci/main/jenkins-war/$version/jenkins-war-$version.war
}

# prints a property of the build, or exits with Maven's error message
evaluate() {
    local value
    value=$("$mvn" -B -q help:evaluate -Dexpression="$1" -DforceStdout) || { echo "$value" >&2; exit 1; }
    echo "$value"
}

# copies the plugin and its dependencies to a folder
install_plugins() {
    cp target/test-classes/test-dependencies/*.[hj]pi target/compression-aware-artifacts.hpi "$1"
}
