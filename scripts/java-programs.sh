# Functions for scripts that build and start a Java program of the standalone build. The script defines fail() and sets built, the folder
# target of the program's module, before it sources this.

java=${JAVA_HOME:+$JAVA_HOME/bin/}java
export MVN=${MVN:-mvn}

check_tools() {
    local version
    command -v "$java" > /dev/null || fail "there is no $java; a JDK 17 or newer is needed"
    command -v "${java}c" > /dev/null || fail "there is no ${java}c beside java; a JDK is needed, a JRE is not enough"
    version=$("$java" -XshowSettings:properties -version 2>&1 | sed -n 's/.*java\.specification\.version = //p')
    java_version=${version%%.*}
    [ "$java_version" -ge 17 ] 2> /dev/null || fail "JDK 17 or newer is needed; $java is version ${version:-unknown}"
    command -v "$MVN" > /dev/null || fail "there is no $MVN; Maven 3.8 or newer is needed"
    version=$("$MVN" --version 2> /dev/null | sed -n 's/.*Apache Maven \([0-9]*\.[0-9]*\).*/\1/p')
    [[ $version =~ ^([0-9]+)\.([0-9]+)$ ]] && ((BASH_REMATCH[1] * 100 + BASH_REMATCH[2] >= 308)) \
        || fail "Maven 3.8 or newer is needed; $MVN is version ${version:-unknown}"
}

# Maven alone takes ten seconds to find out that there is nothing to do
up_to_date() {
    [ -e $built/built ] && [ -d "$(cat $built/maven-repository.txt)" ] && [ -z "$(newer)" ]
}

newer() {
    find ./pom.xml ./src/main ./src/test/java/io/jenkins/plugins/compressionaware/testing ./standalone -name target -prune -o -path '*/src/test' -prune \
        -o \( -path '*/src/*' -o -name pom.xml -o -name '*.txt' \) -newer $built/built -print -quit
}

# builds a module of the standalone build and prepares to run its program
build() {
    prepare
    if up_to_date; then
        return
    fi
    local started
    started=$(mktemp)
    echo "Building it with Maven. The first time, that downloads some tens of megabytes and takes a minute or two ..."
    # Debian's Maven resets colours it has not set
    "$MVN" -B -q -f standalone/pom.xml -pl "$1" -am -DskipTests package 2>&1 | sed $'s/\e\\[0*m//g' >&2 || {
        rm -f "$started"
        fail "the build has failed; the reason is above"
    }
    touch -r "$started" $built/built
    rm -f "$started"
}

prepare() {
    # elsewhere Java takes only ASCII file names
    case ${LC_ALL:-${LC_CTYPE:-${LANG:-}}} in
        *[Uu][Tt][Ff]*) ;;
        *) export LC_ALL=C.UTF-8 ;;
    esac
    # Java 24 and newer warn of what lz4-java and zstd-jni do
    java_options=
    if [ "$java_version" -ge 24 ]; then
        java_options="--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow"
    fi
}
