# Functions for scripts that build and start a Java program of the standalone build. Before it sources this file, the script defines fail(),
# and sets built to the folder target of the program's module.

java=${JAVA_HOME:+$JAVA_HOME/bin/}java
export MVN=${MVN:-mvn}

check_tools() {
    local version
    command -v "$java" > /dev/null || fail "there is no $java; a JDK 17 or newer is required"
    command -v "${java}c" > /dev/null || fail "there is no ${java}c next to java; a JDK is required, a JRE is not enough"
    version=$("$java" -XshowSettings:properties -version 2>&1 | sed -n 's/.*java\.specification\.version = //p')
    java_version=${version%%.*}
    [ "$java_version" -ge 17 ] 2> /dev/null || fail "JDK 17 or newer is required; $java is version ${version:-unknown}"
    command -v "$MVN" > /dev/null || fail "there is no $MVN; Maven 3.8 or newer is required"
    version=$("$MVN" --version 2> /dev/null | sed -n 's/.*Apache Maven \([0-9]*\.[0-9]*\).*/\1/p')
    [[ $version =~ ^([0-9]+)\.([0-9]+)$ ]] && ((BASH_REMATCH[1] * 100 + BASH_REMATCH[2] >= 308)) \
        || fail "Maven 3.8 or newer is required; $MVN is version ${version:-unknown}"
}

# faster than Maven, which needs ten seconds to find that nothing has changed
up_to_date() {
    [ -e $built/built ] && [ -d "$(cat $built/maven-repository.txt)" ] && [ -z "$(newer)" ]
}

newer() {
    find ./pom.xml ./src/main ./src/test/java/io/jenkins/plugins/compressionaware/testing ./standalone -name target -prune -o -path '*/src/test' -prune \
        -o \( -path '*/src/*' -o -name pom.xml -o -name '*.txt' \) -newer $built/built -print -quit
}

# builds a module of the standalone build, and prepares to run its program
build() {
    prepare
    if up_to_date; then
        return
    fi
    local started
    started=$(mktemp)
    echo "Building with Maven. The first build downloads some tens of megabytes and takes a minute or two ..."
    # Debian's Maven resets colours that it has not set
    "$MVN" -B -q -f standalone/pom.xml -pl "$1" -am -DskipTests package 2>&1 | sed $'s/\e\\[0*m//g' >&2 || {
        rm -f "$started"
        fail "the build failed; see the reason above"
    }
    touch -r "$started" $built/built
    rm -f "$started"
}

prepare() {
    # in other locales, Java supports only ASCII file names
    case ${LC_ALL:-${LC_CTYPE:-${LANG:-}}} in
        *[Uu][Tt][Ff]*) ;;
        *) export LC_ALL=C.UTF-8 ;;
    esac
    # Java 24 and newer warn about native access of zstd-jni and lz4-java
    java_options=
    if [ "$java_version" -ge 24 ]; then
        java_options="--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow"
    fi
}
