// Removes native binaries of onnxruntime-node for other platforms: about 250 MB that this machine cannot load.
//
//   node scripts/prune-binaries.mjs [FOLDER]     FOLDER holds node_modules; default: the current folder
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Removes nothing when the binary of this platform is missing, or the layout is not the known one. */
export function pruneBinaries(folder) {
  const versions = join(folder, 'node_modules/onnxruntime-node/bin');
  for (const version of listFolders(versions)) {
    const platforms = join(versions, version);
    const own = join(platforms, process.platform, process.arch);
    if (!existsSync(join(own, 'onnxruntime_binding.node'))) continue;
    removeOthers(platforms, process.platform);
    removeOthers(join(platforms, process.platform), process.arch);
  }
}

function listFolders(path) {
  if (!existsSync(path)) return [];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

function removeOthers(folder, kept) {
  for (const name of listFolders(folder)) {
    if (name !== kept) rmSync(join(folder, name), { recursive: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) pruneBinaries(resolve(process.argv[2] ?? '.'));
