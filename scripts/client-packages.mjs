// Clients of other services, as `npm run client-table` installs them, once, in ~/.cache/mynah/test-clients.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const NPM = [
  'openai@6.49.0',
  '@elevenlabs/elevenlabs-js@2.73.0',
  'fish-audio@0.1.0',
  'ai@7.0.169',
  '@ai-sdk/openai@4.0.114',
  '@ai-sdk/elevenlabs@3.0.46',
  'ai-6@npm:ai@6.0.326',
  'ai-sdk-openai-of-6@npm:@ai-sdk/openai@3.0.139',
  'ai-sdk-elevenlabs-of-6@npm:@ai-sdk/elevenlabs@2.0.58',
  '@modelcontextprotocol/sdk@1.32.2',
];

/** Older versions of PyPI `fish-audio-sdk`, each in an environment of its own. */
const FISH_AUDIO_SDK = ['1.0.0', '1.1.0', '1.1.1', '1.2.0'];

/** Environments of Python, with the modules of server/test/clients/table that run in them. */
export const PYTHON = [
  ...FISH_AUDIO_SDK.map((version) => ({
    packages: [`fish-audio-sdk==${version}`],
    modules: ['fish_audio_rows'],
  })),
  {
    packages: [
      'fish-audio-sdk==1.3.0',
      'openai==3.49.0',
      'elevenlabs==2.77.0',
      'livekit-agents==1.8.9',
      'livekit-plugins-elevenlabs==1.8.9',
      'livekit-plugins-fishaudio==1.8.9',
      'livekit-plugins-openai==1.8.9',
      'pipecat-ai==1.14.0',
      'websockets==17.4',
      'wyoming==1.10.2',
    ],
    modules: [
      'fish_audio_rows',
      'openai_rows',
      'elevenlabs_rows',
      'livekit_rows',
      'pipecat_rows',
      'wyoming_rows',
    ],
  },
  {
    packages: [
      'langchain-openai==1.7.3',
      'langchain-community==0.4.2',
      'elevenlabs==2.77.0',
      'pydub==0.25.1',
    ],
    modules: ['langchain_rows'],
  },
];

const GO = ['github.com/fishaudio/fish-audio-go@v1.1.0'];

/** The folder with the npm clients. */
export function installNpmClients() {
  return installOnce('table-npm', NPM, (folder) => {
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
    execFileSync('npm', ['install', ...options, ...NPM], { cwd: folder, stdio: 'inherit' });
  });
}

/** The Python with these packages. */
export function installPythonClients(packages) {
  const folder = installOnce('table-python', packages, (temporary) => {
    execFileSync('python3', ['-m', 'venv', '--copies', temporary], { stdio: 'inherit' });
    const python = join(temporary, 'bin', 'python');
    execFileSync(python, ['-m', 'pip', 'install', '--quiet', ...packages], { stdio: 'inherit' });
  });
  return join(folder, 'bin', 'python');
}

/** The program of this source, built with the Go clients. */
export function buildGoClient(source) {
  const folder = installOnce('table-go', GO, (temporary) => {
    mkdirSync(temporary);
    const go = (...args) => execFileSync('go', args, { cwd: temporary, stdio: 'inherit' });
    go('mod', 'init', 'table');
    go('get', ...GO);
  });
  copyFileSync(source, join(folder, 'main.go'));
  execFileSync('go', ['build', '-mod=mod', '-o', 'table', '.'], { cwd: folder, stdio: 'inherit' });
  return join(folder, 'table');
}

/** Installs packages in the cache, unless they are there. */
function installOnce(kind, packages, install) {
  const digest = createHash('sha256').update(packages.join('\n')).digest('hex').slice(0, 12);
  const folder = join(homedir(), '.cache', 'mynah', 'test-clients', `${kind}-${digest}`);
  if (existsSync(folder)) return folder;
  mkdirSync(join(folder, '..'), { recursive: true });
  const temporary = `${folder}.${process.pid}`;
  try {
    install(temporary);
    renameSync(temporary, folder);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return folder;
}
