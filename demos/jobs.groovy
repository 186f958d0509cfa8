// Job DSL: a folder whose agents' traffic costs money, and a job whose agent needs its processors for other builds.
folder('remote') {
    properties {
        artifactTransfer {
            codec('zstd')
            level(6)
        }
    }
}

pipelineJob('remote/manual') {
    definition {
        cps {
            script("""
                node('build') {
                    writeFile file: 'manual.txt', text: 'all is well\\n' * 1000
                    archiveArtifacts '*.txt'
                }
            """.stripIndent())
            sandbox()
        }
    }
}

freeStyleJob('report') {
    label('build')
    properties {
        artifactTransfer {
            codec('lz4')
        }
    }
    steps {
        shell('echo "much text" > report.txt')
    }
    publishers {
        archiveArtifacts('report.txt')
    }
}
