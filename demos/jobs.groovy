// Job DSL: a folder with a setting for all of its jobs, and a job with its own setting.
folder('images') {
    properties {
        artifactTransfer { codec('none') }
    }
}

pipelineJob('images/installer') {
    definition {
        cps {
            script("""
                node('build') {
                    writeFile file: 'installer.img', text: 'compressed already'
                    archiveArtifacts '*.img'
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
            codec('zstd')
            level(6)
        }
    }
    steps {
        shell('echo "much text" > report.txt')
    }
    publishers {
        archiveArtifacts('report.txt')
    }
}
