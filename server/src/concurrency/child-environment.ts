/** Variables that child processes need to find programs, libraries and folders, and to format text. */
const SYSTEM_NAMES = [
  'PATH',
  'HOME',
  'USER',
  'TMPDIR',
  'TMP',
  'TEMP',
  'TZ',
  'LANG',
  'LANGUAGE',
  'LC_ALL',
  'LC_CTYPE',
  'LD_LIBRARY_PATH',
  'LD_PRELOAD',
  'DYLD_LIBRARY_PATH',
  'SystemRoot',
  'SYSTEMROOT',
  'windir',
];
/** Variables that configure Node. */
const NODE_NAMES = ['NODE_OPTIONS', 'NODE_V8_COVERAGE', 'NODE_ENV', 'UV_THREADPOOL_SIZE'];
/** Variables that configure memory allocators and the runtimes of native libraries. */
const RUNTIME_PREFIXES = ['MALLOC_', 'GLIBC_', 'JEMALLOC_', 'MIMALLOC_', 'OMP_', 'KMP_', 'ORT_', 'CUDA_'];

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The environment of a worker process: variables of the system, of Node and of native runtimes. Settings of the server,
 * such as the database URL, and other secrets of its environment are left out.
 */
export function childEnvironment(env: Variables): Record<string, string> {
  const isAllowed = (name: string) =>
    SYSTEM_NAMES.includes(name) ||
    NODE_NAMES.includes(name) ||
    RUNTIME_PREFIXES.some((prefix) => name.startsWith(prefix));
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && isAllowed(entry[0]),
    ),
  );
}
