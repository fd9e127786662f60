/** The codec of Opus, loaded with its first use: 10 MB of source, code and memory that most server processes never need. */
export type Libopus = typeof import('libopus-wasm');

export function loadLibopus(): Promise<Libopus> {
  return import('libopus-wasm');
}
