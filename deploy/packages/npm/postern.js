#!/usr/bin/env node
// Runs the program in the package of this platform, with the arguments, streams, signals and exit code of this process.
'use strict'
const { spawn } = require('child_process')
const { dirname, join } = require('path')
const { optionalDependencies, repository } = require('./package.json')

function fail(text) {
  console.error(`error: ${text}`)
  process.exit(1)
}

function findProgram() {
  const name = `@postern/${process.platform}-${process.arch}`
  if (!(name in optionalDependencies)) {
    const known = Object.keys(optionalDependencies).map((name) => name.replace('@postern/', '')).join(', ')
    fail(`npm has no program of Postern for ${process.platform}-${process.arch}, only for ${known}; build it from its source: ${repository.url}`)
  }
  try {
    return join(dirname(require.resolve(`${name}/package.json`)), 'bin', 'postern')
  } catch {
    fail(`the package ${name} is not installed; install postern without --omit=optional and --no-optional, on this machine and not by a copy of node_modules from another platform`)
  }
}

const program = findProgram()
const child = spawn(program, process.argv.slice(2), { stdio: 'inherit' })
child.on('error', (error) => {
  // The file exists: what is not there is the loader that it names.
  const needed = error.code === 'ENOENT' ? '; it needs glibc 2.17 or newer, which Alpine Linux and other systems with musl do not have' : ''
  fail(`cannot start ${program}: ${error.message}${needed}`)
})
// Ctrl-C reaches the program without this process, and must not reach it twice: a second signal ends it at once.
process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'))
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => {
  if (!signal) process.exit(code)
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
})
